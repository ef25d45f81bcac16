/**
 * What GraphiQL and the reference of the REST API share: the token that the dashboard hands to their tab. It lies in the
 * sessionStorage of that tab only (the dashboard writes it), so that it is in no URL and no other
 * tab has it.
 */

/** The bar that says whose token is used; the script shows it. */
export const HANDED_TOKEN_BAR = `<div id="handed-token" role="region" aria-label="Token" hidden><p role="status"></p><button type="button">Drop the token</button></div>`;

/** The style of the bar. */
export const HANDED_TOKEN_STYLE = `#handed-token { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 16px; padding: 8px 20px;
  background: #e7ecfd; color: #1b2130; font: 14px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; }
#handed-token[hidden], #handed-token button[hidden] { display: none; }
#handed-token p { margin: 0; overflow-wrap: anywhere; }
#handed-token button { padding: 3px 12px; font: inherit; font-weight: 600; color: #1b2130; background: #fff;
  border: 1px solid #596176; border-radius: 6px; cursor: pointer; }
#handed-token button:focus-visible { outline: 3px solid #2f55d4; outline-offset: 2px; }
@media (prefers-color-scheme: dark) {
  #handed-token { background: #262c44; color: #eceff6; }
  #handed-token button { background: #1b202b; color: #eceff6; border-color: #a8b0c3; }
}
`;

/** Defines `handedToken`: the token or null, and what to do when somebody drops it. */
export const HANDED_TOKEN_SCRIPT = `const handedToken = (() => {
  const KEY = "signalbox.explorer";
  const bar = document.getElementById("handed-token");
  const [text, button] = bar.children;
  let handed = null;
  try {
    handed = JSON.parse(sessionStorage.getItem(KEY));
  } catch {
    // A browser that refuses storage has no token.
  }
  const isHanded = handed !== null && typeof handed.token === "string" && typeof handed.owner === "string";
  let token = isHanded ? handed.token : null;
  const dropped = [];
  if (isHanded) {
    text.textContent = "Operations run with the token of " + handed.owner + ".";
    bar.hidden = false;
  }
  button.addEventListener("click", () => {
    token = null;
    sessionStorage.removeItem(KEY);
    for (const forget of dropped) forget();
    text.textContent = "The token is dropped: operations run without one, unless you enter one here.";
    text.tabIndex = -1;
    text.focus();
    button.hidden = true;
  });
  return { get: () => token, onDrop: (forget) => dropped.push(forget) };
})();
`;
