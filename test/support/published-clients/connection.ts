import { WebSocket } from "ws";

/** What the recipes of docs/FRONTEND.md use of @signalbox/client, whose own types only its tests can import. */
export interface RecipeConnection {
  fetch: typeof fetch;
  subscribe<Result>(
    document: string,
    variables: object,
    sink: { next(result: Result): void; error(reason: unknown): void },
  ): () => void;
  close(): void;
}

/** A connection of @signalbox/client. */
export interface ClientConnection extends RecipeConnection {
  session: { current(): Promise<{ user: { login: string } | null }> };
}

interface ClientPackage {
  openConnection(options: {
    url: string;
    session(request: { replaces: string | null }): string;
    WebSocket: unknown;
  }): ClientConnection;
  SignalboxError: new (code: string, message: string) => Error;
}
const { openConnection, SignalboxError }: ClientPackage = require("@signalbox/client");

/** Opens the client with a token that is not replaced when it ends. */
export function clientConnection(baseUrl: string, token: string): ClientConnection {
  return openConnection({
    url: baseUrl,
    session({ replaces }) {
      if (replaces === null) return token;
      throw new SignalboxError("UNAUTHENTICATED", "The session has ended");
    },
    WebSocket,
  });
}

/** Opens the client, or what a page has before it has a session: plain requests. */
export function recipeConnection(baseUrl: string, token: string | undefined): RecipeConnection {
  if (token !== undefined) return clientConnection(baseUrl, token);
  return {
    fetch: (input, init) =>
      fetch(typeof input === "string" && input.startsWith("/") ? baseUrl + input : input, init),
    subscribe: () => {
      throw new Error("A subscription needs a session");
    },
    close: () => undefined,
  };
}
