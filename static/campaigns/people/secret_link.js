// A link's secret stands behind the #, so that no server writes it to a log. Sends it as a form, and takes it out of the
// address first: it shall neither stay in the history nor be sent again by going back.

function follow() {
  const secret = location.hash.slice(1);
  if (!secret) return;
  history.replaceState(null, "", location.pathname);
  const form = /** @type {HTMLFormElement} */ (document.querySelector("[data-secret]"));
  /** @type {HTMLInputElement} */ (form.elements.namedItem("secret")).value = secret;
  form.submit();
}

// A link pasted where its page is open already changes only what stands behind the #.
addEventListener("hashchange", follow);
follow();
