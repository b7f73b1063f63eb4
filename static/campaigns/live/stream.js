// Server-sent events that do not give up. The browser reconnects by itself after a broken connection
// and says which event it saw last; after an error answer it would stop, so this opens a new stream.

const KINDS = ["judgment", "intervals", "status", "settings", "runs", "health", "panel"];
const RETRY_SECONDS = [1, 2, 5, 10, 20];

export class Stream {
  /**
   * @param {string} url
   * @param {{ heard: (kind: string, data: any) => void, changed: (connected: boolean) => void }} told
   */
  constructor(url, { heard, changed }) {
    this.url = url;
    this.heard = heard;
    this.changed = changed;
    this.failures = 0;
    addEventListener("pagehide", () => this.close());
    addEventListener("pageshow", (event) => event.persisted && this.again());
    this.open();
  }

  open() {
    const source = new EventSource(this.url);
    this.source = source;
    source.addEventListener("open", () => {
      this.failures = 0;
      this.changed(true);
    });
    source.addEventListener("error", () => this.broken());
    for (const kind of KINDS) {
      source.addEventListener(kind, (event) => this.heard(kind, JSON.parse(event.data)));
    }
  }

  /** After a while in the browser's history, in which nothing was heard. */
  again() {
    this.changed(false);
    this.open();
  }

  broken() {
    this.changed(false);
    if (this.source?.readyState !== EventSource.CLOSED) return;
    const wait = RETRY_SECONDS[Math.min(this.failures, RETRY_SECONDS.length - 1)];
    this.failures += 1;
    this.timer = setTimeout(() => this.open(), wait * 1000);
  }

  close() {
    clearTimeout(this.timer);
    this.source?.close();
  }
}
