// One file on its way to the server.

/**
 * Post a form. `promise` resolves to {status, body}; status 0 is a connection that broke, null one that was cancelled.
 * @param {string} url
 * @param {Sending} sending
 * @returns {{ promise: Promise<SentFile>, cancel: () => void }}
 */
export function send(url, { file, name, fields, token, progress }) {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.append(field, String(value));
  form.append("file", file, name);
  // XMLHttpRequest, because fetch does not show how much has been sent.
  const request = new XMLHttpRequest();
  const promise = new Promise((resolve) => {
    request.open("POST", url);
    request.setRequestHeader("X-CSRFToken", token);
    request.setRequestHeader("Accept", "application/json");
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) progress?.(event.loaded / event.total);
    });
    request.addEventListener("load", () => resolve({ status: request.status, body: parsed(request.responseText) }));
    request.addEventListener("error", () => resolve({ status: 0, body: null }));
    request.addEventListener("abort", () => resolve({ status: null, body: null }));
    request.send(form);
  });
  return { promise, cancel: () => request.abort() };
}

/** @param {string} text @returns {any} */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
