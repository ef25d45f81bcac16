import { randomBytes } from "node:crypto";
import { callRest } from "../rest-client";
import type { Credentials } from "../server";
import { signSession } from "../signing";

/** A user who is made ready for the page, which fills the password in. */
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

/** Milliseconds that the server may take to answer. */
const LIMIT_MS = 10_000;

/**
 * The token of a new session of the application: it may sign users up and in. This is what an
 * application's own server does for its clients, because auth_secret never leaves it.
 */
export async function applicationSession(credentials: Credentials): Promise<string> {
  const application = {
    id: credentials.application_id,
    authKey: credentials.auth_key,
    authSecret: credentials.auth_secret,
  };
  const { session } = await callRest<{ session: { token: string } }>(
    credentials.base_url,
    { method: "POST", path: "/session", body: signSession(application), status: 201 },
    AbortSignal.timeout(LIMIT_MS),
  );
  return session.token;
}

/** Signs the users of the page up, each with a password of this run alone. */
export async function makePeople(credentials: Credentials): Promise<DemoUser[]> {
  const token = await applicationSession(credentials);
  const people: DemoUser[] = [];
  // One after the other, so that ids are in the order of the list.
  for (const { login, name } of PEOPLE) {
    const password = randomBytes(12).toString("base64url");
    const body = { user: { login, password, full_name: name } };
    await callRest(
      credentials.base_url,
      { method: "POST", path: "/users", token, body, status: 201 },
      AbortSignal.timeout(LIMIT_MS),
    );
    people.push({ login, name, password });
  }
  return people;
}
