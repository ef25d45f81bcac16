import { createSignalbox, type Signalbox, sessionFromUrl } from "@signalbox/client";

/** Keeps the name of the signed-in user in this tab. */
const NAME = "name";

/** Opens a client whose sessions come from server/sessions.ts. */
export function signIn(name: string): Signalbox {
  sessionStorage.setItem(NAME, name);
  return createSignalbox({
    url: import.meta.env.VITE_SIGNALBOX_URL,
    session: sessionFromUrl("/session", { body: JSON.stringify({ name }) }),
  });
}

/** The client of a tab that was signed in before it was loaded again. */
export function restore(): Signalbox | null {
  const name = sessionStorage.getItem(NAME);
  return name === null ? null : signIn(name);
}

/** Ends the session. */
export function signOut({ session, close }: Signalbox): void {
  sessionStorage.removeItem(NAME);
  session
    .end()
    .catch(() => {})
    .finally(close);
}
