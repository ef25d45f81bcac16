import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isoSeconds } from "../../src/core/clock";
import type { RestDocument } from "../../src/transports/rest/documents";
import {
  type PlaceholderValues,
  requestBody,
  type Step,
  substitute,
  type Transcript,
} from "../../tools/transcript";
import type { OperationExample } from "./examples";

/** The application of the worked example of a signature in docs/COMPATIBILITY.md. */
const SECRET = "auth_secret_example_1";

const TIMESTAMP = 1353966601;
const DATE = isoSeconds(new Date(TIMESTAMP * 1000));

/** Values of the placeholders that tests have at the start of every transcript. */
const VALUES: Record<string, string | number> = {
  "text:base url": "http://localhost:4000",
  "id:application": 774,
  "text:application id": "774",
  "text:auth key": "aY7WwSRmu2-GbfA",
  "text:account key": "xS5Bd8uTq2HnVw1cKz7L",
  "text:api key": "sbk_TheKeyOfABackend-43-Characters-From-A-Z_0-9",
  "integer:timestamp": TIMESTAMP,
  "integer:nonce": 33432,
  "integer:played": 1,
  "id:alice": 12,
  "text:alice login": "alice",
  "text:alice email": "alice@example.com",
  "text:alice password": "correct horse",
  "id:bob": 13,
  "text:bob login": "bob",
  "text:bob email": "bob@example.com",
};

/** Values of the placeholders that a response has. */
const KINDS: Record<string, string | number> = {
  id: 41,
  digits: "41",
  date: DATE,
  "date or null": DATE,
  token: "TheTokenOfASession-43-Characters-From-A-Z_0",
  // The QR code is the only text without a name.
  text: '<svg xmlns="http://www.w3.org/2000/svg">…</svg>',
};

/**
 * Examples of the operations for OpenAPI: of each transcript the first success of its route, with fixed values in
 * place of those of a run.
 */
export function transcriptExamples(
  root: string,
  documents: readonly RestDocument[],
): Record<string, OperationExample> {
  return Object.fromEntries(
    documents.map((document) => {
      const file = join(root, "test/flow/transcripts", `${document.name}.json`);
      // A session has nonce and timestamp of its request, which a transcript without this request does not name.
      const text = readFileSync(file, "utf8")
        .replaceAll('"nonce": "<integer>"', '"nonce": "<integer:nonce>"')
        .replaceAll('"ts": "<integer>"', '"ts": "<integer:timestamp>"');
      const transcript: Transcript = JSON.parse(text);
      const step = transcript.steps.find(
        ({ request, answer }) =>
          answer.status === document.status &&
          typeof request.body !== "string" &&
          documentOf(documents, request) === document,
      );
      if (!step) throw new Error(`${file} has no success of its route`);
      return [document.name, exampleOf(step, document)];
    }),
  );
}

function exampleOf({ request, answer }: Step, { path }: RestDocument): OperationExample {
  const values = valuesIn(JSON.stringify({ request, answer }));
  const [sentPath = "", query = ""] = String(substitute(request.path, values)).split("?");
  const parameters: Record<string, string | string[]> = {};
  path.split("/").forEach((part, index) => {
    if (part.startsWith("{")) parameters[part.slice(1, -1)] = sentPath.split("/")[index] ?? "";
  });
  for (const [name, text] of new URLSearchParams(query)) {
    const known = parameters[name];
    if (!name.endsWith("[]")) parameters[name] = text;
    else parameters[name] = Array.isArray(known) ? [...known, text] : [text];
  }
  return {
    ...(Object.keys(parameters).length > 0 && { parameters }),
    ...(request.body !== undefined && { request: requestBody(request.body, values, SECRET) }),
    ...(answer.body !== null && { response: substitute(answer.body, values) }),
  };
}

/** A value for each placeholder in a text. */
function valuesIn(text: string): PlaceholderValues {
  const values: PlaceholderValues = new Map(Object.entries(VALUES));
  for (const [, placeholder = "", kind = ""] of text.matchAll(/<(([a-z ]+)(?::[\w ]+)?)>/g)) {
    const value = KINDS[kind];
    if (!values.has(placeholder) && value !== undefined) values.set(placeholder, value);
  }
  return values;
}

/** The document that a request goes to; literal segments take precedence. */
function documentOf(
  documents: readonly RestDocument[],
  { method, path }: Step["request"],
): RestDocument | undefined {
  const sent = path.replace(/(\.json)?(\?.*)?$/, "").split("/");
  const fits = (parts: string[]) =>
    parts.length === sent.length &&
    parts.every((part, index) => part === sent[index] || part.startsWith("{"));
  return documents
    .filter((document) => document.method === method && fits(document.path.split("/")))
    .sort((a, b) => a.path.split("{").length - b.path.split("{").length)[0];
}
