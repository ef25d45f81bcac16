import type { IncomingMessage, ServerResponse } from "node:http";
import { errorResponse, openSessions, SignalboxError } from "@signalbox/client/server";

/** Maximum length of a request, in bytes. */
const BODY_MAX = 1_000;

/** Where Signalbox is, and the API key that creates sessions. */
export interface Settings {
  readonly url: string;
  readonly apiKey: string;
}

/** Reads the settings from the environment. @throws Error that says what to do */
export function readSettings(): Settings {
  const { SIGNALBOX_URL: url = "http://127.0.0.1:4000", SIGNALBOX_API_KEY: apiKey } = process.env;
  if (apiKey) return { url, apiKey };
  throw new Error(
    "Set SIGNALBOX_API_KEY: npx signalbox api-key create --app 1 --name example --scopes sessions",
  );
}

/**
 * Opens what an application's own backend has: the endpoint POST /session, which creates sessions, so that the API key
 * never reaches the page.
 */
export function openEndpoint(settings: Settings) {
  const sessions = openSessions(settings);

  const create = async (request: IncomingMessage) => {
    // Your own sign-in belongs here: this one believes every name.
    const name = await readName(request);
    const user = { login: name, fullName: name, tags: ["example"] };
    const { token } = await sessions.forUser(user);
    return { status: 200, headers: {}, body: { token } };
  };

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { status, headers, body } = await create(request).catch(errorResponse);
    const own = { "Content-Type": "application/json", "Cache-Control": "no-store" };
    response.writeHead(status, { ...headers, ...own }).end(JSON.stringify(body));
  };
}

/** Reads `{"name": "…"}`. @throws SignalboxError INVALID */
async function readName(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) {
    text += chunk;
    if (text.length > BODY_MAX) throw new SignalboxError("INVALID", "The request is too long");
  }
  try {
    const { name } = JSON.parse(text);
    if (typeof name === "string") return name;
  } catch {
    // It is no JSON.
  }
  throw new SignalboxError("INVALID", "The request has no name");
}
