// The campaign's endpoints, and the three ways in which a call can fail.

import { gettext } from "../../site/words.js";

const PATIENCE = 20_000;

// No answer, or an answer that says "try again": the call may or may not have had its effect.
export class Unreachable extends Error {
  name = "Unreachable";
}

// The session ended. What was sent is neither taken nor refused.
export class SignedOut extends Error {
  name = "SignedOut";
}

// The server understood and said no.
export class Refusal extends Error {
  /** @param {number} status @param {{ code?: string, detail?: string }} [problem] */
  constructor(status, { code = "", detail = "" } = {}) {
    super(detail || gettext("refused with status {status}", { status }));
    this.status = status;
    this.code = code;
  }
}

// Read each time: signing in from another tab changes it.
function csrfToken() {
  return document.cookie.match(/(?:^|; )(?:__Host-)?csrftoken=([^;]+)/)?.[1] ?? "";
}

// Gives up on silence, not on length: a document of megabytes may take its time as long as it arrives.
class Hearing {
  #stopping = new AbortController();
  #timer = 0;

  constructor() {
    this.heard();
  }

  get signal() {
    return this.#stopping.signal;
  }

  heard() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#stopping.abort(), PATIENCE);
  }

  end() {
    clearTimeout(this.#timer);
  }

  /** @param {Response} reply */
  async json(reply) {
    const decoder = new TextDecoder();
    const reader = reply.body?.getReader();
    let text = "";
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      this.heard();
      text += decoder.decode(part.value, { stream: true });
    }
    return JSON.parse(text + decoder.decode());
  }
}

/** @param {Response} reply @param {Hearing} hearing */
async function problemOf(reply, hearing) {
  try {
    return await hearing.json(reply);
  } catch {
    return {};
  }
}

/** @param {number} status @param {{ code?: string, detail?: string }} problem */
function isAboutTheSession(status, problem) {
  if (status === 401 || problem.code === "not_authenticated") return true;
  return status === 403 && /csrf/i.test(problem.detail ?? "");
}

/** @param {Response} reply @param {Hearing} hearing */
async function failure(reply, hearing) {
  if (reply.status >= 500 || reply.status === 429) return new Unreachable(`status ${reply.status}`);
  const problem = await problemOf(reply, hearing);
  if (isAboutTheSession(reply.status, problem)) return new SignedOut();
  return new Refusal(reply.status, problem);
}

// For the person the page was made for: another one who signs in later in another tab gets no answer here.
/** @param {string} base @param {number} assessor @returns {Api} */
export function connect(base, assessor) {
  /** @param {string} method @param {string} path @param {object} [body] */
  async function call(method, path, body) {
    /** @type {Record<string, string>} */
    const headers = { Accept: "application/json", "X-Assessor": String(assessor) };
    if (method !== "GET") headers["X-CSRFToken"] = csrfToken();
    if (body !== undefined) headers["Content-Type"] = "application/json";
    const hearing = new Hearing();
    try {
      const { signal } = hearing;
      const reply = await fetch(base + path, { method, headers, signal, body: body && JSON.stringify(body) });
      if (!reply.ok) throw await failure(reply, hearing);
      return reply.status === 204 ? null : await hearing.json(reply);
    } catch (error) {
      if (error instanceof Refusal || error instanceof SignedOut) throw error;
      throw new Unreachable(String(error));
    } finally {
      hearing.end();
    }
  }
  return {
    get: (path, query) => call("GET", `${path}?${new URLSearchParams(/** @type {Record<string, string>} */ (query))}`),
    post: (path, body) => call("POST", path, body),
    remove: (path) => call("DELETE", path),
  };
}
