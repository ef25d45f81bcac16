import { storedToken, TOKEN_KEY } from "./token-storage.ts";

/** Where the explorers of the gateway look for their token (src/transports/http/handed-token.ts). */
const KEY = "signalbox.explorer";

/** Where the explorers are. */
export const EXPLORERS = { graphiql: "/graphql", docs: "/docs" } as const;

/** The explorers that the gateway has, as its page says; the development server has both. */
export function hasExplorer(name: keyof typeof EXPLORERS): boolean {
  const content = document
    .querySelector<HTMLMetaElement>('meta[name="signalbox-explorers"]')
    ?.content.split(" ");
  return content === undefined || content.includes("{{explorers}}") || content.includes(name);
}

/** What an explorer gets. */
export interface HandedToken {
  token: string;
  /** Whose token it is, in words. */
  owner: string;
}

/** A tab that is to show an explorer. */
export interface ExplorerTab {
  /** Hands it a token, and opens the explorer. @throws DOMException if the browser refuses storage */
  show(path: string, handed: HandedToken): void;
  close(): void;
}

/**
 * Opens an empty tab, which browsers allow only at a click, before anything is waited for. The token is then written to
 * the sessionStorage of that tab: it is in no URL, in no message that another page could receive, and in no other tab.
 * @returns null if the browser has blocked the tab
 */
export function openExplorerTab(): ExplorerTab | null {
  const tab = window.open("about:blank", "_blank");
  if (!tab) return null;
  return {
    show(path, handed) {
      // The tab begins with a copy of what this one keeps, and the explorer needs nothing of it.
      tab.sessionStorage.removeItem(TOKEN_KEY);
      tab.sessionStorage.setItem(KEY, JSON.stringify(handed));
      // Neither tab reaches the other one from now on.
      tab.opener = null;
      tab.location.replace(path);
    },
    close: () => tab.close(),
  };
}

/** The member's own token; null if the browser keeps nothing. */
export function memberToken(): string | null {
  return storedToken();
}
