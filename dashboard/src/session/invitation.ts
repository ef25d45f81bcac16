import { useEffect, useState } from "react";

/** The fragment of the link in the mail of an invitation. Browsers send it to no server. */
const FRAGMENT = "#/invitation/";

/** The secret of the invitation in the URL, which then disappears from the URL; null without one. */
function takeSecret(): string | null {
  const { hash, pathname, search } = location;
  if (!hash.startsWith(FRAGMENT)) return null;
  history.replaceState(history.state, "", pathname + search);
  try {
    return decodeURIComponent(hash.slice(FRAGMENT.length));
  } catch {
    // A link that was cut is an unknown secret.
    return hash.slice(FRAGMENT.length);
  }
}

/** Taken before anything else reads the URL. */
const opened = takeSecret();

/** The secret of the invitation that was opened, and a function that leaves it. */
export function useInvitation(): [secret: string | null, leave: () => void] {
  const [secret, setSecret] = useState(opened);
  useEffect(() => {
    // A link that is opened in a tab with the dashboard loads no page.
    const take = () => setSecret((known) => takeSecret() ?? known);
    window.addEventListener("hashchange", take);
    return () => window.removeEventListener("hashchange", take);
  }, []);
  return [secret, () => setSecret(null)];
}
