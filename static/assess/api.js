// The campaign's endpoints, and the three ways in which a call can fail.

import { gettext } from "../site/words.js";

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
  constructor(status, { code = "", detail = "" } = {}) {
    super(detail || gettext("refused with status {status}", { status }));
    this.status = status;
    this.code = code;
  }
}

// Read anew each time: signing in from another tab changes it.
function csrfToken() {
  return document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1] ?? "";
}

async function problemOf(reply) {
  try {
    return await reply.json();
  } catch {
    return {};
  }
}

function isAboutTheSession(status, problem) {
  if (status === 401 || problem.code === "not_authenticated") return true;
  return status === 403 && /csrf/i.test(problem.detail ?? "");
}

async function failure(reply) {
  if (reply.status >= 500 || reply.status === 429) return new Unreachable(`status ${reply.status}`);
  const problem = await problemOf(reply);
  if (isAboutTheSession(reply.status, problem)) return new SignedOut();
  return new Refusal(reply.status, problem);
}

// For the person the page was made for: whoever signs in later in another tab is not answered here.
export function connect(base, assessor) {
  async function call(method, path, body) {
    const headers = { Accept: "application/json", "X-Assessor": assessor };
    if (body !== undefined) {
      headers["Content-Type"] = "application/json";
      headers["X-CSRFToken"] = csrfToken();
    }
    try {
      const signal = AbortSignal.timeout(PATIENCE);
      const reply = await fetch(base + path, { method, headers, signal, body: body && JSON.stringify(body) });
      if (!reply.ok) throw await failure(reply);
      return reply.status === 204 ? null : await reply.json();
    } catch (error) {
      if (error instanceof Refusal || error instanceof SignedOut) throw error;
      throw new Unreachable(error.message);
    }
  }
  return {
    get: (path, query) => call("GET", `${path}?${new URLSearchParams(query)}`),
    post: (path, body) => call("POST", path, body),
  };
}
