import { SignalboxError } from "../errors.ts";
import type { Session } from "./session.ts";

/**
 * A `fetch` for libraries, which sends the session's token. When the service refuses the token, it sends the request
 * again with a new one.
 * @param base the base URL of the service, to which a path is relative; the token goes only to its origin
 * @param fetch of the platform
 */
export function sessionFetch(session: Session, base: string, fetch: typeof globalThis.fetch) {
  const { origin } = new URL(base);
  return async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const isPath = typeof input === "string" && input.startsWith("/");
    const request = new Request(isPath ? base + input : input, init);
    if (new URL(request.url).origin !== origin) {
      throw new SignalboxError("INVALID", `The session's token is only for ${origin}`);
    }
    const send = (token: string) => {
      const signed = request.clone();
      signed.headers.set("Svc-Token", token);
      return fetch(signed);
    };
    const token = await session.token();
    const response = await send(token);
    if (!(await isRefusal(response))) return response;
    const valid = await session.replaceRefused(token).catch(() => token);
    return valid === token ? response : send(valid);
  };
}

/** Whether the token may have been refused: by REST's status, or in an answer of GraphQL. */
async function isRefusal(response: Response): Promise<boolean> {
  if (response.status === 401) return true;
  if (!/\bjson\b/.test(response.headers.get("content-type") ?? "")) return false;
  return (await response.clone().text()).includes('"UNAUTHENTICATED"');
}
