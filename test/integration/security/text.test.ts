import { join } from "node:path";
import { getNamedType } from "graphql";
import { ERRORS } from "../../../src/core/errors";
import { openLog } from "../../../src/core/log";
import { INVALID_TEXT_MESSAGE } from "../../../src/core/text/text";
import { accessTable, restSchema, signalboxSchema } from "../../../src/transports/graphql/schema";
import { readDocuments, readRestFiles } from "../../../src/transports/rest/documents";
import type { RestParameter } from "../../../src/transports/rest/parameters";
import { graphql } from "../../../tools/graphql/graphql-http";
import { openSocket, type SocketResult } from "../../../tools/graphql/graphql-socket";
import { withValue } from "../../../tools/hostile-values";
import { createParticipants } from "../../support/calls/participants";
import { SAMPLED, sampleFor } from "../../support/exhaustive";
import { startNode, type TestNode, WITHOUT_POLLING } from "../../support/node";
import { type RestResponse, rest, signIn } from "../../support/rest-client";
import { ROUTES } from "../../support/security/permission-routes";
import type { Participants } from "../../support/security/permission-rows";
import { type TextInput, textInputs } from "../../support/security/text-inputs";
import { ownerToken } from "../../support/sessions/owner";

/**
 * Every place that accepts text, over every protocol, with invalid text: the answer is INVALID with the
 * field. Passwords may contain any character. None of it causes an internal error. Unless the run is exhaustive, each
 * place gets a sample.
 */

const NOT_TEXTS = ["a\0b", "\ud800", "x\udc00y", "\ufffe", "a\uffff"];
/** A text that fits into one request. */
const LARGE = "x".repeat(200_000);
const MEGABYTE = "x".repeat(1_048_576);
const CODES = Object.keys(ERRORS).filter((code) => code !== "INTERNAL");

const schema = signalboxSchema();
const access = accessTable(schema);
const places = textInputs(schema);
const documents = readDocuments(
  readRestFiles(join(__dirname, "../../../schema/rest")),
  restSchema(),
);

const warnings: object[] = [];
const log = openLog("info", {
  write(line) {
    const entry = JSON.parse(line) as { level: number };
    if (entry.level > 30) warnings.push(entry);
  },
});

let node: TestNode;
let fixture: Participants;
let session: { token: string };
beforeAll(async () => {
  node = await startNode({}, { ...WITHOUT_POLLING, log });
  fixture = await createParticipants(node);
  session = fixture.a;
});
afterAll(() => node.stop());
afterEach(() => expect(warnings.splice(0)).toEqual([]));

/** The user's token; a new one if an attempt has ended its session. */
async function userToken(): Promise<string> {
  const { status } = await rest(node, "GET", "/session", { token: session.token });
  if (status !== 200) session = await signIn(node, fixture.a);
  return session.token;
}

/** Whether a place belongs to an operation for owners, or to a field that only owners see. */
function isOwners({ name }: TextInput): boolean {
  const wanted = access.get(name.slice(0, name.indexOf(":")));
  return wanted === undefined || wanted.client === null;
}

const tokenFor = (place: TextInput) => (isOwners(place) ? ownerToken(node) : userToken());

type Send = (document: string, variables: Record<string, unknown>) => Promise<SocketResult>;

async function checkPlace(place: TextInput, values: string[], send: Send): Promise<void> {
  const above = {
    of_application_id: String(node.application.id),
    of_user_id: String(fixture.a.id),
    of_conference_id: fixture.conference.id,
  };
  const answers = await Promise.all(
    values.map((value) => send(place.document, { ...place.variables(value), ...above })),
  );
  const results = answers.map(({ errors = [] }) =>
    errors.map(({ extensions: { code, fields } }) => [code, fields]),
  );
  if (place.kind === "password" || values.includes(LARGE)) {
    for (const [code] of results.flat()) expect(CODES).toContain(code);
    expect(JSON.stringify(results)).not.toContain(INVALID_TEXT_MESSAGE);
    return;
  }
  const refused = [["INVALID", { [place.field]: [INVALID_TEXT_MESSAGE] }]];
  expect([place.name, results]).toEqual([place.name, values.map(() => refused)]);
}

test("finds the places that accept text", () => {
  const names = places.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      "Mutation.createUser: input.login",
      "Mutation.sendSignal: input.to.device",
      "Mutation.sendSignal: input.signal.call.userInfo",
      "Subscription.callSignals: after",
      "Application.users: search",
    ]),
  );
  expect(places.filter(({ kind }) => kind === "password").map(({ field }) => field)).toEqual(
    expect.arrayContaining(["password", "oldPassword", "user.password"]),
  );
});

const isSubscription = ({ name }: TextInput) => name.startsWith("Subscription.");
const overHttp = places.filter((place) => !isSubscription(place));
const httpSamples = sampleFor([...NOT_TEXTS, LARGE], overHttp.length, 1);

test.each(
  overHttp.map((place, index): [string, TextInput, string[]] => [
    place.name,
    place,
    httpSamples[index] ?? [],
  ]),
)(`GraphQL over HTTP, %s${SAMPLED}`, async (_name, place, values) => {
  const token = await tokenFor(place);
  const send: Send = (document, variables) => graphql(node, document, variables, token);
  await checkPlace(
    place,
    values.filter((value) => value !== LARGE),
    send,
  );
  if (values.includes(LARGE)) await checkPlace(place, [LARGE], send);
});

test(`GraphQL over WebSocket, every place${SAMPLED}`, async () => {
  const samples = sampleFor(NOT_TEXTS.slice(0, 2), places.length, 1);
  for (const owners of [true, false]) {
    const token = owners ? await ownerToken(node) : await userToken();
    const socket = await openSocket(node, token);
    for (const place of places.filter((each) => isOwners(each) === owners)) {
      // The HTTP test covers passwords; here one could end the session.
      if (place.kind === "password") continue;
      await checkPlace(place, samples[places.indexOf(place)] ?? [], socket.run);
    }
    await socket.close();
  }
});

interface Request {
  path: string;
  body: unknown;
}

/** Sends a modified request of a route. @returns its answer */
async function sendRoute(
  name: string,
  method: string,
  token: string,
  change: (request: Request) => void,
): Promise<RestResponse> {
  const route = ROUTES[name];
  if (!route) throw new Error("no route");
  const request: Request = { path: route.path(fixture), body: route.body?.(fixture) ?? {} };
  change(request);
  const body = method === "GET" ? undefined : request.body;
  const headers = route.headers?.(fixture);
  return rest(node, method, request.path, { token, headers, body });
}

/** Converts a body to a form with bracket keys. */
function formOf(body: object, prefix = ""): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body)) {
    const key = prefix === "" ? name : `${prefix}[${Array.isArray(body) ? "" : name}]`;
    if (typeof value !== "object" || value === null) form.append(key, String(value));
    else for (const [inner, text] of formOf(value, key)) form.append(inner, text);
  }
  return form;
}

/** Functions that set a parameter's value, by the form of the request. */
function waysTo({ wireName, segments, location, type }: RestParameter, method: string) {
  const json = String(getNamedType(type)) === "JSONObject";
  const inPath = (value: string) => (request: Request) => {
    request.path = request.path.replace(/[^/]*$/, encodeURIComponent(value));
  };
  const inQuery = (value: string) => (request: Request) => {
    const [path = "", query = ""] = request.path.split("?");
    const others = [...new URLSearchParams(query)].filter(([each]) => each !== wireName);
    request.path = `${path}?${new URLSearchParams([...others, [wireName, value]])}`;
  };
  const inJson = (value: string) => (request: Request) => {
    const one = json ? { a: [value] } : value;
    request.body = withValue(request.body as object, segments, one);
  };
  const inForm = (value: string) => (request: Request) => {
    request.body = formOf(withValue(request.body as object, segments, value));
  };
  if (location === "path") return { inPath };
  if (location === "query" || method === "GET") return { inQuery };
  return json ? { inJson } : { inJson, inForm };
}

/** Parameters that accept text, except those of binders. */
const parameters = documents.flatMap(({ name, method, parameters: all }) =>
  all
    .filter(({ binder, type, location }) => {
      const text = /^(String|ID|JSONObject)$/.test(String(getNamedType(type)));
      return !binder && text && location !== "header";
    })
    .map((each): [string, string, string, RestParameter] => [name, each.wireName, method, each]),
);

const jsonSamples = sampleFor(NOT_TEXTS, parameters.length, 2);
// Only JSON can express a lone surrogate.
const otherSamples = sampleFor(
  NOT_TEXTS.filter((value) => value.isWellFormed()),
  parameters.length,
  1,
);

test.each(
  parameters.map((row, index): [...typeof row, number] => [...row, index]),
)(`REST %s: %s${SAMPLED}`, async (name, wire, method, parameter, index) => {
  const token = await userToken();
  for (const [way, put] of Object.entries(waysTo(parameter, method))) {
    const samples = way === "inJson" ? jsonSamples : otherSamples;
    for (const value of samples[index] ?? []) {
      const { status, body } = await sendRoute(name, method, token, put(value));
      if (/password\]?$/.test(wire)) {
        expect([value, status < 500]).toEqual([value, true]);
        expect(JSON.stringify(body)).not.toContain(INVALID_TEXT_MESSAGE);
      } else {
        const refused = { errors: { [parameter.key]: [INVALID_TEXT_MESSAGE] } };
        expect([way, value, status, body]).toEqual([way, value, 422, refused]);
      }
    }
  }
});

test.each(["a\0b", "\ufffe", "\uffff"])("REST filters, %j", async (value) => {
  const token = await userToken();
  const text = encodeURIComponent(value);
  const ask = async (path: string) => {
    const { status, body } = await rest(node, "GET", path, { token });
    return [status, body.errors];
  };
  const refused = (field: string) => [422, { [field]: [INVALID_TEXT_MESSAGE] }];
  for (const field of ["login", "email", "full_name", "phone", "external_id", "user_tags"]) {
    for (const operator of ["", "[start_with]", "[in][]"]) {
      expect(await ask(`/users/v2?${field}${operator}=${text}`)).toEqual(refused(field));
    }
  }
  expect(await ask(`/users?filter[]=string+login+eq+${text}`)).toEqual(refused("filter"));
  expect(await ask(`/users?filter[]=string+user_tags+in+a,${text}`)).toEqual(refused("filter"));
});

test("invalid UTF-8 in paths, queries and forms causes no internal error", async () => {
  const token = await userToken();
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  for (const bytes of ["%ED%A0%80", "%FF", "%C0%80", "%EF%BF"]) {
    const body = `user[full_name]=${bytes}`;
    const answers = await Promise.all([
      rest(node, "GET", `/users/external/${bytes}`, { token }),
      rest(node, "GET", `/users/by_full_name?full_name=${bytes}`, { token }),
      rest(node, "PUT", `/users/${fixture.a.id}`, { token, headers, body }),
    ]);
    for (const { status } of answers) expect([bytes, status < 500]).toEqual([bytes, true]);
  }
});

describe("a megabyte is TOO_LARGE", () => {
  const query = "query ($login: String!) { user(by: { login: $login }) { id } }";
  const user = () => `/users/${fixture.a.id}`;
  const WAYS: Record<string, (token: string) => Promise<{ status: number }>> = {
    "GraphQL over HTTP": (token) => graphql(node, query, { login: MEGABYTE }, token),
    "REST as JSON": (token) =>
      rest(node, "PUT", user(), { token, body: { user: { full_name: MEGABYTE } } }),
    "REST as a form": (token) =>
      rest(node, "PUT", user(), {
        token,
        body: new URLSearchParams({ "user[full_name]": MEGABYTE }),
      }),
    "REST in a query": (token) =>
      rest(node, "GET", `/users/by_login?login=${"x".repeat(8_200)}`, { token }),
  };
  test.each(Object.entries(WAYS))("%s", async (_name, send) => {
    expect((await send(await userToken())).status).toBe(413);
  });

  test("GraphQL over WebSocket", async () => {
    const socket = await openSocket(node, await userToken());
    socket.send({ id: "1", type: "subscribe", payload: { query, variables: { login: MEGABYTE } } });
    expect((await socket.closed).code).toBe(1009);
  });
});
