import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { join } from "node:path";
import { Writable } from "node:stream";
import Fastify, { type FastifyInstance } from "fastify";
import { buildSchema, type GraphQLScalarType, type GraphQLSchema, printSchema } from "graphql";
import { GraphQLJSONObject, GraphQLSafeInt } from "graphql-scalars";
import { readConfig } from "../../../src/core/config";
import { openLog } from "../../../src/core/log";
import { openMetrics } from "../../../src/core/metrics";
import type { Caller, Context } from "../../../src/transports/graphql/engine/context";
import { Engine } from "../../../src/transports/graphql/engine/engine";
import { DateTime } from "../../../src/transports/graphql/scalars";
import { restSchema } from "../../../src/transports/graphql/schema";
import {
  type RestFile,
  readDocuments,
  readRestFiles,
} from "../../../src/transports/rest/documents";
import { registerRestErrors, restServerOptions } from "../../../src/transports/rest/error";
import { registerRest } from "../../../src/transports/rest/routes";

const ROOT = join(__dirname, "../../..");

/** The documents of schema/rest. */
export const FILES: readonly RestFile[] = readRestFiles(join(ROOT, "schema/rest"));

/** An operation with all kinds of parameters that schema/rest does not use. */
export const SEARCH: RestFile = {
  name: "search.graphql",
  text: `
    "Finds."
    query Search(
      $tags: [String!] @param(csv: true)
      $ids: [SafeInt!] @param(name: "filter[ids]", csv: true)
      $flags: [Boolean]
      $since: DateTime
      $ratio: Float
      $active: Boolean
      $page: SafeInt
      $by: UserSortField @param(name: "filter[order][by]")
      $traceId: String! @param(name: "X-Trace", in: HEADER)
    ) @rest(method: GET, path: "/search/{page}/found", pick: "search") {
      search(
        tags: $tags ids: $ids flags: $flags since: $since ratio: $ratio active: $active page: $page
        order: { by: $by, ascending: false }
      ) { asked trace: asked @include(if: false) secret @omit }
      echo: search(tags: [$traceId]) { asked }
    }
  `,
};

/** The schema of the REST documents with a search field, without resolvers. */
export function sampleSchema(): GraphQLSchema {
  const search = readFileSync(join(__dirname, "../graphql/sample-schema.graphql"), "utf8");
  const schema = buildSchema(`${printSchema(restSchema())}\n${search}`);
  for (const scalar of [GraphQLSafeInt, DateTime, GraphQLJSONObject]) {
    const type = schema.getType(scalar.name) as GraphQLScalarType;
    const { serialize, parseValue, parseLiteral } = scalar;
    Object.assign(type, { serialize, parseValue, parseLiteral });
  }
  const { createSession, createSessionForUser } = schema.getMutationType()?.getFields() ?? {};
  const allowed = { client: "public", member: null };
  if (createSession) createSession.extensions = { allowed };
  if (createSessionForUser) {
    createSessionForUser.extensions = { allowed, keyScope: "sessions" };
  }
  return schema;
}

type Resolve = (args: Record<string, unknown>, caller: Caller) => unknown;

/** A REST API server with resolvers that a test sets. */
export interface SampleApi {
  url: string;
  server: FastifyInstance;
  /** Resolvers of root fields by name. */
  resolvers: Record<string, Resolve>;
  /** Calls of root fields since the last call of this method. */
  received(): Array<[field: string, args: Record<string, unknown>]>;
  /** Callers of contexts since the last call of this method. */
  callers(): Caller[];
  /** Lines logged since the last call of this method. */
  logged(): Array<Record<string, unknown>>;
  /** Session expiration of the next requests. */
  expiresAt: Date | null;
  /** Thrown instead of creating a context. */
  failContext: Error | undefined;
  /** Writes bytes to a new connection, and reads until the server closes it. */
  raw(bytes: string | Buffer): Promise<string>;
  close(): Promise<void>;
}

/** Starts the server on a free port, with a body limit of 4,096 bytes. */
export async function startSampleApi(): Promise<SampleApi> {
  const schema = sampleSchema();
  const calls: Array<[string, Record<string, unknown>]> = [];
  const callers: Caller[] = [];
  const lines: Array<Record<string, unknown>> = [];
  const resolvers: Record<string, Resolve> = {};
  for (const root of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(root?.getFields() ?? {})) {
      field.resolve = (_source, args, context: Context) => {
        calls.push([field.name, args]);
        return resolvers[field.name]?.(args, context.caller) ?? null;
      };
    }
  }
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  const server = Fastify({
    ...restServerOptions,
    bodyLimit: 4096,
    logger: { level: "error", stream },
    genReqId: () => "request-1",
  });
  registerRestErrors(server);
  const engine = new Engine(schema, readConfig({}), openLog("silent"), openMetrics());
  const drain = <T>(list: T[]) => list.splice(0, list.length);
  const api: SampleApi = {
    url: "",
    server,
    resolvers,
    expiresAt: null,
    failContext: undefined,
    received: () => drain(calls),
    callers: () => drain(callers),
    logged: () => drain(lines),
    raw: (bytes) => exchange((server.server.address() as AddressInfo).port, bytes),
    close: () => server.close(),
  };
  registerRest(server, {
    engine,
    documents: readDocuments([...FILES, SEARCH], schema),
    schema,
    makeContext: (caller) => {
      if (api.failContext) throw api.failContext;
      callers.push(caller);
      // The sample's resolvers use nothing else of a context.
      const context = { caller, expiresAt: api.expiresAt, auth: { notedApplication: null } };
      return context as Context;
    },
  });
  api.url = await server.listen({ port: 0, host: "127.0.0.1" });
  return api;
}

function exchange(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    const chunks: Buffer[] = [];
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", reject);
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("utf8")));
    socket.write(bytes);
  });
}

/** A user as returned by a resolver. */
export function sampleUser(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: "12",
    databaseId: 12,
    login: "alice",
    email: null,
    externalUserId: null,
    externalId: null,
    facebookId: null,
    twitterId: null,
    fullName: "Alice A",
    phone: null,
    website: null,
    customData: null,
    tags: ["a", "b"],
    avatar: null,
    blobId: null,
    timezone: null,
    isGuest: false,
    lastRequestAt: null,
    createdAt: new Date("2018-12-05T11:58:02.123Z"),
    updatedAt: new Date("2018-12-05T11:58:02.999Z"),
    ...changes,
  };
}

/** A session as returned by a resolver. */
export function sampleSession(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: "5",
    databaseId: 5,
    applicationId: "774",
    applicationDatabaseId: 774,
    userId: null,
    userDatabaseId: null,
    nonce: 33432,
    token: "sample",
    ts: 1353966601,
    createdAt: new Date("2018-12-05T11:58:02Z"),
    updatedAt: new Date("2018-12-05T11:58:02Z"),
    expiresAt: new Date("2018-12-05T13:58:02Z"),
    deviceId: null,
    user: null,
    ...changes,
  };
}
