/** Post one file. Resolves to {status, body}; status 0 is a connection that broke. */
export function send(url, { file, fields, token, progress }) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", file);
  return new Promise((resolve) => {
    // XMLHttpRequest, because fetch does not tell how much has been sent.
    const request = new XMLHttpRequest();
    request.open("POST", url);
    request.setRequestHeader("X-CSRFToken", token);
    request.setRequestHeader("Accept", "application/json");
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) progress(event.loaded / event.total);
    });
    request.addEventListener("load", () => resolve({ status: request.status, body: parsed(request.responseText) }));
    request.addEventListener("error", () => resolve({ status: 0, body: null }));
    request.send(form);
  });
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
