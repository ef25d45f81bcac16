import { corrupt, type Random } from "../../tools/seeded-random";
import type { Fixture } from "../deployment/fixture";
import { mutateRequest } from "../input/document-mutations";
import { DocumentMaker, type GraphqlRequest } from "../input/documents";
import { chance, pick } from "../input/random";
import { hostileValue, toJson, urlEncode } from "../input/values";
import { type HttpInput, sendHttp } from "./http-client";
import type { Target } from "./target";

const TYPES = [
  "text/plain",
  "application/graphql",
  "application/x-www-form-urlencoded",
  "",
  "a/b",
  "application/json; charset=utf-16",
  "application/graphql+json",
  "multipart/form-data",
];
const ACCEPTS = ["application/graphql-response+json", "text/html", "*/*", "a/b", "multipart/mixed"];

/** GraphQL over HTTP: documents of the schema, valid and mutated, by GET and POST. */
export const graphql: Target = {
  name: "graphql",
  weight: 3,
  concurrency: 10,
  async run(each) {
    const { random, deployment } = each;
    const { fixture } = deployment;
    const node = pick(random, deployment.nodes);
    const made = new DocumentMaker(random, fixture, 12).make();
    const request = mutateRequest(random, made);
    const token = admitted(fixture, request, fixture.token(random));
    const input = asHttp(random, request);
    if (token !== undefined) {
      if (chance(random, 80)) input.headers["Svc-Token"] = token;
      else input.headers.Authorization = `Bearer ${token}`;
    }
    const { text } = await sendHttp(each, node.urls.http ?? "", input);
    const code = /"code":"([A-Z_]+)"/.exec(text)?.[1];
    if (code !== undefined) each.outcome(code);
    if (text.includes("Required session does not exist")) await fixture.replace(token);
    if (code === "FORBIDDEN") await fixture.recheck(token);
  },
};

/** Removes the owner's token from operations that could break the applications of the run. */
export function admitted(
  { application, canary, isOwner }: Fixture,
  request: GraphqlRequest,
  token: string | undefined,
): string | undefined {
  if (!isOwner(token)) return token;
  const text = request.query + toJson(request.variables);
  const named = [application.id, canary.id].some((id) =>
    new RegExp(`(?<!\\d)${id}(?!\\d)`).test(text),
  );
  return named ? undefined : token;
}

function asHttp(random: Random, request: GraphqlRequest): HttpInput {
  const headers: Record<string, string> = {};
  if (chance(random, 10)) headers.Accept = pick(random, ACCEPTS);
  if (chance(random, 10)) headers["Apollo-Require-Preflight"] = "1";
  const path = chance(random, 97)
    ? "/graphql"
    : pick(random, ["/graphql/", "/graphql?", "/graphql//"]);
  if (chance(random, 20))
    return { method: "GET", path: `${path}?${query(random, request)}`, headers };
  headers["Content-Type"] = chance(random, 95) ? "application/json" : pick(random, TYPES);
  let body: unknown = request;
  if (chance(random, 4)) body = [request, request];
  if (chance(random, 4)) body = { ...request, extensions: extensions(random) };
  if (chance(random, 2)) body = hostileValue(random);
  const bytes = Buffer.from(toJson(body));
  const sent = chance(random, 5) ? corrupt(random, bytes) : bytes;
  return { method: "POST", path, headers, body: sent };
}

function query(random: Random, { query: text, variables, operationName }: GraphqlRequest): string {
  const parts = [`query=${urlEncode(text)}`];
  if (chance(random, 80)) parts.push(`variables=${urlEncode(toJson(variables))}`);
  if (operationName !== undefined) parts.push(`operationName=${urlEncode(String(operationName))}`);
  if (chance(random, 5)) parts.push(`extensions=${urlEncode(toJson(extensions(random)))}`);
  if (chance(random, 5))
    parts.push(pick(random, ["query=", "query=%7Ba%7D", "variables[]=1", "%", "&&"]));
  return parts.join("&").slice(0, 12_000);
}

const extensions = (random: Random): unknown =>
  chance(random, 50)
    ? { persistedQuery: { version: 1, sha256Hash: pick(random, ["a".repeat(64), "", null, 1]) } }
    : hostileValue(random);
