import { join } from "node:path";
import { ERRORS } from "../../../src/core/errors";
import { hashToken } from "../../../src/core/random";
import { parseId } from "../../../src/core/text/ids";
import type { EngineListener } from "../../../src/domain/conferences/engine/engine";
import { accessTable, restSchema, signalboxSchema } from "../../../src/transports/graphql/schema";
import { readDocuments, readRestFiles } from "../../../src/transports/rest/documents";
import { passes } from "../../../tools/conferences/graphql-participant";
import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { HOSTILE, inputPaths, LEAKS, withValue } from "../../../tools/hostile-values";
import { createParticipants } from "../../support/calls/participants";
import { sendInput } from "../../support/calls/send-input";
import { MemoryEngine } from "../../support/conferences/memory-engine";
import { SAMPLED, sampleFor } from "../../support/exhaustive";
import { startNode, type TestNode, WITHOUT_POLLING } from "../../support/node";
import { newUser, rest, signIn } from "../../support/rest-client";
import { ROUTES } from "../../support/security/permission-routes";
import { type Participants, PERMISSION_ROWS } from "../../support/security/permission-rows";
import { ownerToken } from "../../support/sessions/owner";

/**
 * Every parameter of every operation, with every hostile value: the result is an answer or an error of the
 * error table, never an internal error, and reveals nothing about the implementation. Unless the run is exhaustive,
 * each parameter gets one value, and places of every kind get every value.
 */

/** The places of one kind, each with the values that it is tested with. */
function withSamples<Place extends unknown[]>(places: Place[]): Array<[...Place, unknown[]]> {
  const samples = sampleFor(HOSTILE, places.length, 1);
  return places.map((place, index) => [...place, samples[index] ?? []]);
}

const schema = signalboxSchema();
const access = accessTable(schema);
/** Tokens of a user and of a member of the account, if they may run an operation. */
async function tokensFor(operation: string): Promise<string[]> {
  const { client = null, member = null } = access.get(operation) ?? {};
  const user = client === null ? [] : [await token()];
  return member === null ? user : [...user, await ownerToken(node)];
}
const documents = readDocuments(
  readRestFiles(join(__dirname, "../../../schema/rest")),
  restSchema(),
);
const CODES = Object.keys(ERRORS).filter((code) => code !== "INTERNAL" && code !== "UNAVAILABLE");

let node: TestNode;
let fixture: Participants;
let session: { token: string };
let credentials: { login: string; login_key: string; password_hash: string } | undefined;

beforeAll(async () => {
  // It takes the offers that the documents accept.
  const openEngine = async (listener: EngineListener) => new MemoryEngine(listener);
  node = await startNode({}, { ...WITHOUT_POLLING, openEngine });
  fixture = await createParticipants(node);
  session = fixture.a;
  [credentials] = await node.sql(
    "SELECT login, login_key, password_hash FROM users WHERE id = $1",
    [fixture.a.id],
  );
});
afterAll(() => node.stop());

/**
 * The token of the rows' owner; a new one if an attempt has ended its session. Values that an owner of the
 * application may set replace the user's credentials and block the user: both are undone. So are external ids, by which
 * another attempt would delete the user.
 */
async function token(): Promise<string> {
  const [user] = await node.sql<{ signedIn: boolean }>(
    `UPDATE users SET external_id = NULL, external_user_id = NULL WHERE id = $1
      RETURNING EXISTS (SELECT FROM sessions WHERE user_id = $1 AND token_hash = $2) AS "signedIn"`,
    [fixture.a.id, hashToken(session.token)],
  );
  if (user?.signedIn) return session.token;
  await node.sql(
    `UPDATE users SET login = $2, login_key = $3, password_hash = $4, blocked_at = NULL, block_reason = NULL
      WHERE id = $1`,
    [fixture.a.id, credentials?.login, credentials?.login_key, credentials?.password_hash],
  );
  session = await signIn(node, fixture.a);
  return session.token;
}

/** Runs the items in concurrent groups of 20. */
async function inGroups<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  for (let index = 0; index < items.length; index += 20) {
    await Promise.all(items.slice(index, index + 20).map(run));
  }
}

/** The text of a value in a URL or a header, where lone surrogates cannot be expressed. */
function textOf(value: unknown): string {
  return typeof value === "string"
    ? value.replace(/\p{Surrogate}/gu, "\uFFFD")
    : JSON.stringify(value);
}

const places = Object.entries(PERMISSION_ROWS).flatMap(([operation, row]) =>
  operation.startsWith("Subscription.") || row.restOnly
    ? []
    : inputPaths(schema, row.document).map((place): [string, string, typeof place] => [
        operation,
        place.join("."),
        place,
      ]),
);

test.each(
  withSamples(places),
)(`GraphQL %s: %s${SAMPLED}`, async (operation, _name, place, values) => {
  const row = PERMISSION_ROWS[operation];
  if (!row) throw new Error("no row");
  const tokens = await tokensFor(operation);
  const attempts = values.flatMap((value) => tokens.map((own) => ({ value, own })));
  await inGroups(attempts, async ({ value, own }) => {
    const variables = withValue(row.variables(fixture), place, value);
    const answer = await graphql(node, row.document, variables, own);
    const codes = answer.errors?.map(({ extensions }) => extensions.code) ?? [];
    for (const code of codes)
      expect([value, CODES]).toEqual([value, expect.arrayContaining([code])]);
    expect(answer.status < 500 || codes.includes("UNSUPPORTED")).toBe(true);
    const results = JSON.stringify(answer.errors ?? []);
    // A message may repeat the input.
    const sent = JSON.stringify(JSON.stringify(value)).slice(1, -1);
    expect([value, results.replaceAll(sent, "")]).toEqual([
      value,
      expect.not.stringMatching(LEAKS),
    ]);
  });
});

/** Every argument of every subscription, with a document that has them all. */
const subscribed = Object.values(schema.getSubscriptionType()?.getFields() ?? {}).flatMap(
  ({ name, args }): [name: string, argument: string, document: string][] => {
    const declared = args.map((each) => `$${each.name}: ${each.type}`).join(", ");
    const passed = args.map((each) => `${each.name}: $${each.name}`).join(", ");
    const document = `subscription (${declared}) { ${name}(${passed}) { __typename } }`;
    return args.map((each) => [name, each.name, document]);
  },
);

/** Arguments that select events: a subscription to what does not exist is one that receives nothing. */
const SELECTING = ["callId", "eventId"];

test.each(
  withSamples(subscribed),
)(`GraphQL Subscription.%s: %s${SAMPLED}`, async (name, argument, document, values) => {
  const { membershipId } = fixture.conference;
  const required = name === "conferenceEvents" ? { membershipId } : {};
  const [own] = await tokensFor(`Subscription.${name}`);
  const socket = await openSocket(node, own);
  const answerTo = (index: number) => socket.received.find(({ id }) => id === `${index}`);
  for (const [index, value] of values.entries()) {
    const variables = { ...required, [argument]: value };
    socket.send({ id: `${index}`, type: "subscribe", payload: { query: document, variables } });
    // Null is no value for an optional argument.
    const isValid =
      (value === null && argument !== "membershipId") ||
      (value === true && argument === "allowGap");
    // Another call's id, or that of none.
    const isCallId = name === "callChanges" && argument === "id" && parseId(String(value)) !== null;
    const isOpen = SELECTING.includes(argument) || isCallId || isValid;
    if (!isOpen) {
      await passes(() => expect([value, answerTo(index)]).toEqual([value, expect.anything()]));
    }
  }
  expect((await socket.run("{ __typename }")).data).toEqual({ __typename: "Query" });
  for (const [index, value] of values.entries()) {
    const { type, payload } = answerTo(index) ?? {};
    const errors = type === "error" ? payload : (payload?.errors ?? []);
    for (const { extensions } of errors) {
      expect([value, extensions.code]).toEqual([
        value,
        expect.stringMatching(/^(INVALID|MALFORMED|NOT_FOUND)$/),
      ]);
    }
    if (payload?.data) expect([value, name]).toEqual([null, "conferenceEvents"]);
    const sent = JSON.stringify(JSON.stringify(value)).slice(1, -1);
    const text = JSON.stringify(errors).replaceAll(sent, "");
    expect([value, text]).toEqual([value, expect.not.stringMatching(LEAKS)]);
  }
  await socket.close();
});

const parameters = documents.flatMap((document) =>
  document.parameters
    .filter(({ binder }) => !binder)
    .map(({ wireName, location, segments }): [string, string, string, string[], string] => [
      document.name,
      wireName,
      location,
      segments,
      document.method,
    ]),
);
const sampledParameters = [...new Set(parameters.map(([, , location]) => location))].flatMap(
  (location) => withSamples(parameters.filter(([, , each]) => each === location)),
);

test.each(
  sampledParameters,
)(`REST %s: %s in the %s${SAMPLED}`, async (name, wire, place, segments, method, values) => {
  const route = ROUTES[name];
  if (!route) throw new Error("no route");
  const own = await token();
  await inGroups(values, async (value) => {
    const text = textOf(value);
    let path = route.path(fixture);
    const headers = { ...route.headers?.(fixture) };
    let body = route.body?.(fixture);
    const encoded = encodeURIComponent(text);
    if (place === "path") path = path.replace(/[^/]*$/, encoded);
    else if (place === "query") path += `${path.includes("?") ? "&" : "?"}${wire}=${encoded}`;
    else if (place === "header") headers[wire] = text.replace(/[^\t\x20-\x7e]/g, "?");
    else body = withValue((body ?? {}) as object, segments, value);
    const answer = await rest(node, method, path, { token: own, headers, body });
    const unsupported = answer.status === 501;
    expect([value, answer.status < 500 || unsupported, answer.text]).toEqual([
      value,
      true,
      expect.anything(),
    ]);
    if (answer.status < 400) return;
    expect(answer.body).toEqual({ errors: expect.any(Object) });
    const results = Object.values<string[]>(answer.body.errors).flat();
    for (const message of results) expect(message).not.toMatch(LEAKS);
  });
});

describe("filters of the user list", () => {
  const FIELDS = ["id", "login", "full_name", "user_tags", "created_at", "__proto__", "toString"];
  const OPERATORS = ["eq", "in", "nin", "start_with", "gt", "lte", "constructor", "valueOf", "$ne"];
  const conditions = withSamples(
    FIELDS.flatMap((field) => OPERATORS.map((operator): [string, string] => [field, operator])),
  );
  test.each(FIELDS)(`%s with every operator and value${SAMPLED}`, async (field) => {
    const own = await token();
    const cases = conditions
      .filter(([each]) => each === field)
      .flatMap(([, operator, values]) => values.map((value) => [operator, value] as const));
    await inGroups(cases, async ([operator, value]) => {
      const text = textOf(value);
      const query = `${field}[${operator}]=${encodeURIComponent(text.slice(0, 2_000))}`;
      const answer = await rest(node, "GET", `/users/v2?${query}`, { token: own });
      expect([query, [200, 400, 422].includes(answer.status)]).toEqual([query, true]);
      if (answer.status === 200) return;
      for (const message of Object.values<string[]>(answer.body.errors).flat()) {
        expect(message).not.toMatch(LEAKS);
      }
    });
  });

  const words = ["number", "id", "eq", "1"];
  const attempts = withSamples(
    ["filter[]", "filter[eq]", "filter", "order"].flatMap((name) =>
      words.map((_, place): [string, number] => [name, place]),
    ),
  ).flatMap(([name, place, values]) => values.map((value) => [name, place, value] as const));
  test(`the filter language of the V1 list with every word and value${SAMPLED}`, async () => {
    // Earlier attempts may have disabled the list as its owner.
    await node.sql("UPDATE applications SET v1_list_disabled = false");
    const own = await token();
    await inGroups(attempts, async ([name, place, value]) => {
      const text = textOf(value);
      const condition = words.with(place, text.slice(0, 2_000)).join(" ");
      const sent = encodeURIComponent(condition);
      const answer = await rest(node, "GET", `/users?${name}=${sent}`, { token: own });
      expect([name, condition, answer.status]).toEqual([
        name,
        condition,
        name !== "order" && place === 3 && answer.status === 200 ? 200 : 422,
      ]);
      if (answer.status === 200) return;
      for (const message of Object.values<string[]>(answer.body.errors).flat()) {
        expect(message).not.toMatch(LEAKS);
      }
    });
  });

  test("start_with is literal, up to the last code point", async () => {
    const last = "\u{10FFFF}";
    const names = [
      `tail${last}`,
      `tail${last}${last}`,
      `tail${last}${last}x`,
      "tail",
      "tail\uD7FFx",
    ];
    const ids: number[] = [];
    for (const full_name of names) ids.push((await newUser(node, { full_name })).id);
    const found = async (prefix: string) => {
      const query = `full_name[start_with]=${encodeURIComponent(prefix)}`;
      const { body } = await rest(node, "GET", `/users/v2?${query}`, { token: await token() });
      return body.items.map(({ id }: { id: number }) => ids.indexOf(id)).sort();
    };
    expect(await found("tail")).toEqual([0, 1, 2, 3, 4]);
    expect(await found(`tail${last}`)).toEqual([0, 1, 2]);
    expect(await found(`tail${last}${last}`)).toEqual([1, 2]);
    expect(await found(`tail${last}${last}x`)).toEqual([2]);
    expect(await found("tail\uD7FF")).toEqual([4]);
    expect(await found(last.repeat(4))).toEqual([]);
  });
});

test("a token may be any text", async () => {
  const tokens = ["x", "x".repeat(7_000), "'", "%00", "__proto__", "null", "undefined", "0", "a b"];
  for (const sent of tokens) {
    const answer = await rest(node, "GET", "/session", { token: sent });
    expect([sent, answer.status, answer.body]).toEqual([
      sent,
      401,
      { errors: { base: ["Required session does not exist"] } },
    ]);
  }
});

test("signals of any name are delivered or refused", async () => {
  const send = "mutation ($i: SendSignalInput!) { sendSignal(input: $i) { id } }";
  const own = await token();
  for (const signalType of ["__proto__", "constructor", "toString", "hasOwnProperty", "", " "]) {
    const i = sendInput({ to: { userId: fixture.b.id }, signalType, callId: "s" });
    const { errors, data } = await graphql(node, send, { i }, own);
    expect([signalType, errors, data]).toEqual([
      signalType,
      undefined,
      { sendSignal: { id: expect.any(String) } },
    ]);
  }
  for (const userInfo of [
    JSON.parse('{"__proto__":"x"}'),
    { "a b": 1 },
    { a: [[1]] },
    { a: "\u0000" },
  ]) {
    const i = { to: { userId: fixture.b.id }, signal: { reject: { callId: "s", userInfo } } };
    const { errors } = await graphql(node, send, { i }, own);
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual([
      expect.stringMatching(/^(INVALID|MALFORMED)$/),
    ]);
  }
});
