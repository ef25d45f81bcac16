import { openConnection, SignalboxError, signedSession } from "@signalbox/client";
import { useState } from "react";
import { asServiceError } from "../../api/errors.ts";
import { type HandedToken, memberToken, openExplorerTab } from "../../api/explorer-tab.ts";
import { session } from "../../api/session.ts";
import { ExplorerKeysDocument } from "./explorer.generated.ts";
import { explorerStrings } from "./strings.ts";

const texts = explorerStrings;

/** Opens an explorer with a token, and says why that did not work. */
export function useExplorer(): {
  /** @param obtain reads the token while the tab waits */
  open(path: string, obtain: () => Promise<HandedToken>): Promise<void>;
  isOpening: boolean;
  error: SignalboxError | null;
} {
  const [isOpening, setOpening] = useState(false);
  const [error, setError] = useState<SignalboxError | null>(null);
  const open = async (path: string, obtain: () => Promise<HandedToken>) => {
    setError(null);
    const tab = openExplorerTab();
    if (!tab) {
      setError(new SignalboxError("UNSUPPORTED", texts.blocked));
      return;
    }
    setOpening(true);
    try {
      tab.show(path, await obtain());
    } catch (problem) {
      tab.close();
      setError(asServiceError(problem));
    } finally {
      setOpening(false);
    }
  };
  return { open, isOpening, error };
}

/** The member's own token. @throws SignalboxError */
export async function ownToken(owner: string): Promise<HandedToken> {
  const token = memberToken();
  if (token === null) throw new SignalboxError("UNSUPPORTED", texts.noStorage);
  return { token, owner };
}

/** The token of a new session of an application, which is signed with its keys. @throws SignalboxError */
export async function applicationToken(id: string, owner: string): Promise<HandedToken> {
  // Browsers sign only on secure pages.
  if (!globalThis.crypto?.subtle) throw new SignalboxError("UNSUPPORTED", texts.insecure);
  const { application } = await session.connection.query(ExplorerKeysDocument, { id });
  const keys = {
    applicationId: Number(id),
    authKey: application.authKey,
    authSecret: application.authSecret ?? "",
  };
  const connection = openConnection({ url: location.origin, session: signedSession(keys) });
  try {
    return { token: await connection.session.token(), owner };
  } finally {
    connection.close();
  }
}
