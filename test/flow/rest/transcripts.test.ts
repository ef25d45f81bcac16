import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openApiPaths } from "../../../scripts/openapi/paths";
import { restSchema } from "../../../src/transports/graphql/schema";
import {
  type RestDocument,
  readDocuments,
  readRestFiles,
} from "../../../src/transports/rest/documents";
import {
  expectation,
  HEADERS,
  type PlaceholderValues,
  type Reply,
  requestBody,
  type Step,
  substitute,
  type Transcript,
} from "../../../tools/transcript";
import { startNode, type TestNode } from "../../support/node";
import { OpenApiConformity } from "../../support/rest/openapi-conformity";
import { applicationToken, newUser, type RestResponse, rest } from "../../support/rest-client";
import { newApiKey } from "../../support/sessions/api-keys";

const FOLDER = join(__dirname, "../transcripts");
const documents = readDocuments(
  readRestFiles(join(__dirname, "../../../schema/rest")),
  restSchema(),
);
const openApiPlaces = openApiPaths(documents);
const conformity = new OpenApiConformity();

let node: TestNode;
let apiKey: string;
/** Number of transcripts that have started. */
let transcriptNumber = 0;
beforeAll(async () => {
  node = await startNode();
  apiKey = await newApiKey(node, ["sessions"]);
  // Enables every route; other tests cover routes that a setting disables.
  await node.sql("UPDATE applications SET v1_list_disabled = false");
});
afterAll(() => node.stop());

function read(name: string): Transcript {
  const file = join(FOLDER, `${name}.json`);
  if (!existsSync(file)) throw new Error(`${name} has no transcript in test/flow/transcripts`);
  return JSON.parse(readFileSync(file, "utf8"));
}

/** The initial variables of every transcript: two users and an application session. */
async function initialVariables(): Promise<PlaceholderValues> {
  transcriptNumber += 1;
  const { application } = node;
  const values: PlaceholderValues = new Map<string, string | number>([
    ["text:base url", node.baseUrl],
    ["id:application", application.id],
    ["text:auth key", application.authKey],
    ["text:account key", application.accountKey],
    ["text:api key", apiKey],
    ["token:application", await applicationToken(node)],
    ["integer:timestamp", Math.floor(Date.now() / 1000)],
    ["text:application id", String(application.id)],
    ["integer:nonce", 20_000_000 + 5 * transcriptNumber],
    ["integer:other nonce", 20_000_001 + 5 * transcriptNumber],
    ["integer:third nonce", 20_000_002 + 5 * transcriptNumber],
    ["integer:fourth nonce", 20_000_003 + 5 * transcriptNumber],
    ["integer:fifth nonce", 20_000_004 + 5 * transcriptNumber],
    // Suffix of logins and other unique values, so that transcripts do not collide.
    ["integer:played", transcriptNumber],
  ]);
  for (const name of ["alice", "bob"]) {
    const user = await newUser(node, { email: `${name}-${transcriptNumber}@example.com` });
    values.set(`id:${name}`, user.id);
    values.set(`text:${name} login`, user.login);
    values.set(`text:${name} email`, `${name}-${transcriptNumber}@example.com`);
    values.set(`text:${name} password`, user.password);
    values.set(`token:${name}`, user.token);
    values.set(`id:${name} session`, user.sessionId);
  }
  return values;
}

function toReply({ status, headers, body }: RestResponse): Reply {
  const present = HEADERS.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  return { status, headers: Object.fromEntries(present), body };
}

/** Sends a step. The response must conform to the OpenAPI document. */
async function send({ request }: Step, values: PlaceholderValues): Promise<Reply> {
  const { method } = request;
  const path = String(substitute(request.path, values));
  const headers = substitute(request.headers ?? {}, values) as Record<string, string>;
  const body = requestBody(request.body, values, node.application.authSecret);
  const answer = await rest(node, method, path, { headers, body });
  if (answer.body === null) expect(answer.text).toBe("");
  const { status } = answer;
  expect(conformity.violations({ method, path, body, status, answer: answer.body })).toEqual([]);
  return toReply(answer);
}

/** Whether a step calls the route of a document. */
const isOf = (document: RestDocument, { request: { method, path } }: Step) =>
  method === document.method &&
  conformity.pathOf(method, path) === openApiPlaces.get(document)?.path;

test("there is exactly one transcript for every route", () => {
  const files = readdirSync(FOLDER).sort();
  expect(files).toEqual(documents.map(({ name }) => `${name}.json`).sort());
});

describe.each(
  documents.map((document): [string, RestDocument] => [document.name, document]),
)("%s", (name, document) => {
  test("responds exactly as its transcript and conforms to the OpenAPI document", async () => {
    const transcript = read(name);
    const values = await initialVariables();
    for (const step of transcript.steps) {
      const actual = await send(step, values);
      const { what, answer } = step;
      expect({ what, answer: actual }).toEqual({
        what,
        answer: expectation(answer, actual, values),
      });
    }
  });

  test("its transcript contains a success and an error of the route", () => {
    const transcript = read(name);
    const statuses = transcript.steps
      .filter((step) => isOf(document, step))
      .map(({ answer }) => answer.status);
    expect(transcript.name).toBe(name);
    expect(statuses).toContain(document.status);
    expect(statuses.some((status) => status >= 400)).toBe(true);
  });
});
