// Server-sent events that do not give up. The browser reconnects by itself after a broken connection
// and says which event it saw last; after an error answer it would stop, so this opens a new stream.

const KINDS = ["judgment", "intervals", "status", "settings", "runs", "health", "panel"];
const RETRY_SECONDS = [1, 2, 5, 10, 20];

export class Stream {
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
    this.source = new EventSource(this.url);
    this.source.addEventListener("open", () => {
      this.failures = 0;
      this.changed(true);
    });
    this.source.addEventListener("error", () => this.broken());
    for (const kind of KINDS) {
      this.source.addEventListener(kind, (event) => this.heard(kind, JSON.parse(event.data)));
    }
  }

  /** After a while in the browser's history, in which nothing was heard. */
  again() {
    this.changed(false);
    this.open();
  }

  broken() {
    this.changed(false);
    if (this.source.readyState !== EventSource.CLOSED) return;
    const wait = RETRY_SECONDS[Math.min(this.failures, RETRY_SECONDS.length - 1)];
    this.failures += 1;
    this.timer = setTimeout(() => this.open(), wait * 1000);
  }

  close() {
    clearTimeout(this.timer);
    this.source.close();
  }
}
