import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { errorResponse, openSessions, SignalboxError } from "@signalbox/client/server";

/** What a running Signalbox has written. */
const FILE = process.env.SIGNALBOX_CREDENTIALS ?? "../../.data/credentials.json";

/** Maximum length of a request, in bytes. */
const BODY_MAX = 1_000;

/** The keys of the application, as credentials.json has them. */
export interface Credentials {
  readonly base_url: string;
  readonly application_id: number;
  readonly auth_key: string;
  readonly auth_secret: string;
}

/** Reads the keys of the application. @throws Error that says what to do */
export function readCredentials(): Credentials {
  try {
    return JSON.parse(readFileSync(FILE, "utf8"));
  } catch {
    throw new Error(
      `${FILE} cannot be read. Start Signalbox, or set SIGNALBOX_CREDENTIALS to the path of its credentials.json.`,
    );
  }
}

/**
 * Opens what an application's own backend has: the endpoint POST /session, which signs sessions, so that auth_secret
 * never reaches the page.
 */
export function openEndpoint(credentials: Credentials) {
  const signing = openSessions({
    url: credentials.base_url,
    applicationId: Number(credentials.application_id),
    authKey: credentials.auth_key,
    authSecret: credentials.auth_secret,
    // Enough for trials: it changes with auth_secret, and users cannot sign in any more then.
    userSecret: process.env.SIGNALBOX_USER_SECRET ?? `users of ${credentials.auth_secret}`,
  });

  const sign = async (request: IncomingMessage) => {
    // Your own sign-in belongs here: this one believes every name.
    const name = await readName(request);
    const user = { login: name, fullName: name, tags: ["example"] };
    const { token } = await signing.forUser(user);
    return { status: 200, body: { token } };
  };

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { status, body } = await sign(request).catch(errorResponse);
    const headers = { "Content-Type": "application/json", "Cache-Control": "no-store" };
    response.writeHead(status, headers).end(JSON.stringify(body));
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
