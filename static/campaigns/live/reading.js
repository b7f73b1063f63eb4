const PATIENCE = 8000;

/**
 * A JSON reading, or null when the server does not give one.
 * @param {string} url
 * @returns {Promise<any>}
 */
export async function read(url) {
  try {
    const headers = { Accept: "application/json" };
    const reply = await fetch(url, { headers, signal: AbortSignal.timeout(PATIENCE) });
    return reply.ok ? await reply.json() : null;
  } catch {
    return null;
  }
}

/**
 * How the back office does; null when the server does not answer. A server that only fails to look has lost
 * its database.
 * @param {string} url
 * @returns {Promise<Health | null>}
 */
export async function readHealth(url) {
  try {
    const reply = await fetch(url, { signal: AbortSignal.timeout(PATIENCE) });
    if (reply.ok) return await reply.json();
    return reply.status === 500 ? { database: "down", head: 0, applied: 0 } : null;
  } catch {
    return null;
  }
}

/**
 * Act now and then every so often, never twice at once, and not while the page is hidden.
 * @param {number} seconds
 * @param {() => unknown} act
 */
export function repeatedly(seconds, act) {
  const again = async () => {
    if (!document.hidden) await act();
    setTimeout(again, seconds * 1000);
  };
  again();
  document.addEventListener("visibilitychange", () => document.hidden || act());
}
