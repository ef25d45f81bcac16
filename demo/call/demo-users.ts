import { randomBytes } from "node:crypto";
import { callRest } from "../rest-client";
import type { ServerCredentials } from "../server";
import { signSession } from "../signing";

/** A user of the page, which fills in the password. */
export interface DemoUser {
  login: string;
  name: string;
  password: string;
}

const PEOPLE = [
  { login: "ann", name: "Ann Moreau" },
  { login: "ben", name: "Ben Lindqvist" },
  { login: "cem", name: "Cem Aydın" },
];

/** Timeout of a request, in milliseconds. */
const TIMEOUT_MS = 10_000;

/**
 * Creates an application session, which may sign users up and in. Only an application's own server can do
 * this for its clients, because auth_secret never leaves it.
 * @returns the session's token
 */
export async function createApplicationSession(credentials: ServerCredentials): Promise<string> {
  const application = {
    id: credentials.application_id,
    authKey: credentials.auth_key,
    authSecret: credentials.auth_secret,
  };
  const { session } = await callRest<{ session: { token: string } }>(
    credentials.base_url,
    { method: "POST", path: "/session", body: signSession(application), status: 201 },
    AbortSignal.timeout(TIMEOUT_MS),
  );
  return session.token;
}

/** Signs up the users of the page, each with a random password. */
export async function createDemoUsers(credentials: ServerCredentials): Promise<DemoUser[]> {
  const token = await createApplicationSession(credentials);
  const people: DemoUser[] = [];
  // Sequentially, so that the ids are in the order of the list.
  for (const { login, name } of PEOPLE) {
    const password = randomBytes(12).toString("base64url");
    const body = { user: { login, password, full_name: name } };
    await callRest(
      credentials.base_url,
      { method: "POST", path: "/users", token, body, status: 201 },
      AbortSignal.timeout(TIMEOUT_MS),
    );
    people.push({ login, name, password });
  }
  return people;
}
