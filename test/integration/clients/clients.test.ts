import { AsyncQueue } from "../../../tools/async-queue";
import { closeAfterEach } from "../../support/close-after-each";
import { HOUR, MovingClock } from "../../support/moving-clock";
import { startNode, type TestNode } from "../../support/node";
import { APOLLO_CLIENT } from "../../support/published-clients/apollo-client";
import type { Client, ClientLibrary, ClientSignal } from "../../support/published-clients/client";
import { GRAPHQL_REQUEST } from "../../support/published-clients/graphql-request";
import { OPENAPI_FETCH } from "../../support/published-clients/openapi-fetch";
import { recordRequests } from "../../support/published-clients/recorded-requests";
import { URQL } from "../../support/published-clients/urql";
import { newUser, rest, signedParameters, type TestUser } from "../../support/rest-client";

/** Published client libraries work with their default settings, as docs/FRONTEND.md prints them. */

const LIBRARIES = [APOLLO_CLIENT, URQL, GRAPHQL_REQUEST, OPENAPI_FETCH];
const GRAPHQL_LIBRARIES = LIBRARIES.filter((library) => library !== OPENAPI_FETCH);

let node: TestNode;
let ann: TestUser;
let ben: TestUser;
beforeAll(async () => {
  node = await startNode();
  [ann, ben] = [await newUser(node), await newUser(node)];
});
afterAll(() => node.stop());

const closing = closeAfterEach();
const open = (library: ClientLibrary, token: string | undefined): Client =>
  closing(library.open(node, () => token));

/** The error of a request that must fail. */
async function failure(sent: Promise<unknown>): Promise<unknown> {
  try {
    await sent;
  } catch (error) {
    return error;
  }
  throw new Error("the request succeeded");
}

/** Subscribes. @returns the next signal other than those that the user sends to itself until one arrives */
async function listen(client: Client, user: TestUser): Promise<() => Promise<ClientSignal>> {
  const signals = new AsyncQueue<ClientSignal>();
  let isActive = false;
  client.listen?.(
    (signal) => {
      if (signal.callId !== "probe") signals.push(signal);
      isActive = true;
    },
    (error) => signals.end(JSON.stringify(error)),
  );
  while (!isActive) await client.reject(user.id, "probe");
  return () => signals.next();
}

describe.each(LIBRARIES)("$name", (library) => {
  test("signs in with a signed request, and reads with the token", async () => {
    const signed = signedParameters(node);
    const token = await open(library, undefined).signIn(signed, ann.login, ann.password);
    expect(await open(library, token).ownLogin()).toBe(ann.login);
  });

  test("reads every user once, although a user of the first page is deleted meanwhile", async () => {
    const tag = `paged ${library.name}`;
    const users: TestUser[] = [];
    for (let count = 0; count < 5; count += 1) {
      users.push(await newUser(node, { tag_list: tag }));
    }
    const [first] = users;
    let deleted = 0;
    const logins = await open(library, ann.token).logins(tag, async () => {
      const path = `/users/${first?.id}`;
      deleted = (await rest(node, "DELETE", path, { token: first?.token })).status;
    });
    expect(deleted).toBe(200);
    expect(logins).toEqual(users.map(({ login }) => login));
  });

  test("sends a signal, which every GraphQL client receives", async () => {
    for (const receiving of GRAPHQL_LIBRARIES) {
      const next = await listen(open(receiving, ben.token), ben);
      const callId = `${library.name} to ${receiving.name}`;
      await open(library, ann.token).reject(ben.id, callId);
      expect(await next()).toMatchObject({
        signalType: "reject",
        callId,
        userInfo: { busy: true },
        from: { userId: String(ann.id) },
      });
    }
  });

  test("reads the code and the fields of an error", async () => {
    const client = open(library, ann.token);
    expect(client.refusalOf(await failure(client.sendInvalid()))).toEqual(library.invalid);
  });

  test("gets a code without a token, and with one that is unknown or has ended", async () => {
    const ended = await newUser(node);
    await rest(node, "DELETE", "/session", { token: ended.token });
    for (const token of [undefined, "unknown", ended.token]) {
      const client = open(library, token);
      const { code } = client.refusalOf(await failure(client.ownLogin()));
      const expected = token ? library.unauthenticated : library.withoutToken;
      expect([token, code]).toEqual([token, expected]);
    }
  });

  test("reads and writes by its default methods, which a browser's preflight allows", async () => {
    const requests = await recordRequests(async () => {
      const client = open(library, ann.token);
      await client.ownLogin();
      // A subscription sends nothing by HTTP.
      if (client.listen) await listen(client, ann);
      await client.reject(ben.id, "recorded");
    });
    // The session itself is read by POST.
    const methods = new Set(requests.map(({ method }) => method));
    expect(methods).toEqual(new Set([library.reads, "POST"]));
    for (const { url, method, headers } of requests) {
      const { status, headers: allowed } = await fetch(url, {
        method: "OPTIONS",
        headers: {
          Origin: "https://app.example",
          "Access-Control-Request-Method": method,
          "Access-Control-Request-Headers": headers.join(","),
        },
      });
      expect(status).toBe(204);
      expect(listOf(allowed, "access-control-allow-methods")).toContain(method.toLowerCase());
      const allowedHeaders = listOf(allowed, "access-control-allow-headers");
      expect(headers.filter((name) => !allowedHeaders.includes(name))).toEqual([]);
    }
  });
});

describe("a session that expires", () => {
  const clock = new MovingClock();
  const clients = new Map<ClientLibrary, Client>();
  let other: TestNode;
  beforeAll(async () => {
    other = await startNode({}, { clock });
    for (const library of LIBRARIES) {
      const { login, token } = await newUser(other);
      const client = library.open(other, () => token);
      clients.set(library, client);
      expect(await client.ownLogin()).toBe(login);
    }
    clock.advance(3 * HOUR);
  });
  afterAll(() => other.stop());

  test.each(LIBRARIES)("gives $name the same code", async (library) => {
    const client = clients.get(library) as Client;
    const { code } = client.refusalOf(await failure(client.reject(1, "late")));
    expect(code).toBe(library.unauthenticated);
  });
});

describe.each(GRAPHQL_LIBRARIES)("a subscription of $name", (library) => {
  test("ends with an error where the session has ended, rather than retrying", async () => {
    const { token } = await newUser(node);
    await rest(node, "DELETE", "/session", { token });
    const client = open(library, token);
    await new Promise((resolve) => client.listen?.(() => undefined, resolve));
  });
});

const listOf = (headers: Headers, name: string) =>
  (headers.get(name) ?? "").split(",").map((value) => value.trim().toLowerCase());
