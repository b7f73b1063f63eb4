// How scripts see a page. Its template has what its scripts look for: what may be absent is asked for with `?.`.

interface ElementsById {
  "add-term": HTMLFormElement;
  asking: HTMLDialogElement;
  "asking-form": HTMLFormElement;
  "asking-text": HTMLTextAreaElement;
  cannot: HTMLDialogElement;
  "closing-all": HTMLDialogElement;
  history: HTMLDetailsElement;
  "judged-depth": HTMLInputElement;
  keys: HTMLDialogElement;
  larger: HTMLButtonElement;
  leaving: HTMLDialogElement;
  name: HTMLInputElement;
  "note-form": HTMLFormElement;
  "note-text": HTMLTextAreaElement;
  "nudge-onward": HTMLAnchorElement;
  p: HTMLInputElement;
  "p-slider": HTMLInputElement;
  "picture-controls": HTMLFormElement;
  "progress-bar": HTMLProgressElement;
  refining: HTMLDialogElement;
  "refining-form": HTMLFormElement;
  "single-keys": HTMLInputElement;
  slug: HTMLInputElement;
  smaller: HTMLButtonElement;
  "topic-method": HTMLSelectElement;
}

type ElementOf<Id extends string> = Id extends keyof ElementsById ? ElementsById[Id] : HTMLElement;

interface NonElementParentNode {
  getElementById<Id extends string>(id: Id): ElementOf<Id>;
}

interface Document {
  getElementById<Id extends string>(id: Id): ElementOf<Id>;
}

/** What a selector finds, as far as its words say it. */
type Selected<Selector extends string> = Selector extends keyof HTMLElementTagNameMap
  ? HTMLElementTagNameMap[Selector]
  : Selector extends `${string}[name=${string}` | `${string}input${string}` | `${string}[type=${string}` | "[data-row]"
    ? HTMLInputElement
    : Selector extends `a[${string}` | `${string} a` | `${string} a[${string}`
      ? HTMLAnchorElement
      : Selector extends `form${string}`
        ? HTMLFormElement
        : Selector extends `script${string}`
          ? HTMLScriptElement
          : Selector extends `details${string}`
            ? HTMLDetailsElement
            : HTMLElement;

interface ParentNode {
  querySelector<Selector extends string>(selectors: Selector): Selected<Selector>;
  querySelectorAll<Selector extends string>(selectors: Selector): NodeListOf<Selected<Selector>>;
}

interface Element {
  closest<Selector extends string>(selectors: Selector): Selected<Selector> | null;
  setAttribute(name: string, value: string | number): void;
}

// htmx's own events, and those that the server asks for (HX-Trigger).
interface HTMLElementEventMap {
  "htmx:load": CustomEvent<{ elt: HTMLElement }>;
  "htmx:afterSwap": CustomEvent<{ target: Element; requestConfig?: { elt?: HTMLElement } }>;
  "htmx:beforeRequest": CustomEvent<{ elt: HTMLElement }>;
  "saved-step": CustomEvent<{ next: string }>;
}

interface WindowEventMap {
  "htmx:beforeRequest": CustomEvent<{ elt: HTMLElement }>;
}

/** The base class of those who tell others what happened: by event, what comes with it as `detail`. */
type Announcer<Details> = new () => Omit<EventTarget, "addEventListener" | "removeEventListener"> & {
  addEventListener<Type extends keyof Details & string>(
    type: Type,
    listener: (event: CustomEvent<Details[Type]>) => void,
    options?: AddEventListenerOptions,
  ): void;
  removeEventListener<Type extends keyof Details & string>(
    type: Type,
    listener: (event: CustomEvent<Details[Type]>) => void,
  ): void;
};

/** What an attribute may be: see `html` in static/site/elements.js. */
type Attribute = string | number | boolean | null | undefined | ((event: any) => void);

/** What stands for {name} in words. */
type Values = Record<string, string | number | null | undefined>;

/** A page that says when it is looked at again: a window, or a test's. */
interface WatchedPage {
  addEventListener(type: string, listener: () => void, options?: AddEventListenerOptions): void;
  document: { readonly hidden: boolean; addEventListener(type: string, listener: () => void): void };
}
