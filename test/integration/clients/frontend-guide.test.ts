import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ApolloClient, gql } from "@apollo/client";
import type { Client as UrqlClient } from "@urql/core";
import type { Express } from "express";
import type { FastifyInstance } from "fastify";
import type { Client as SocketClient } from "graphql-ws";
import { WebSocket } from "ws";
import { eventually } from "../../../scripts/services/binaries";
import { connectGraphqlWs } from "../../support/calls/graphql-signals";
import { startNode, type TestNode } from "../../support/node";
import { loadPrinted, PRINTED_FILES } from "../../support/printed-code";
import { clientConnection } from "../../support/published-clients/connection";
import { createFrontend } from "../../support/published-clients/frontend";
import { newUser, rest } from "../../support/rest-client";
import { newApiKey } from "../../support/sessions/api-keys";
import { blockUser } from "../../support/sessions/blocks";
import { sharedGlobal } from "../../support/shared-modules/shared-global";

/** The types, the endpoints, the program for Node.js and the queries that docs/FRONTEND.md prints. */

let node: TestNode;
beforeAll(async () => {
  node = await startNode();
  await node.sql("UPDATE applications SET server_sessions_create_users = true");
  Object.assign(process.env, {
    SIGNALBOX_URL: node.baseUrl,
    SIGNALBOX_API_KEY: await newApiKey(node, ["sessions"]),
  });
});
afterAll(async () => {
  await node?.stop();
});

/** The reader's own sign-in. */
const users = {
  async userOf(cookie: string | undefined) {
    const [, id] = /^signed-in=(.+)$/.exec(cookie ?? "") ?? [];
    return id ? { id, name: "Ann Gray" } : null;
  },
};
const own = { "./users": users };

type Post = (cookie?: string) => Promise<Response>;
const headersOf = (cookie?: string): Record<string, string> => (cookie ? { cookie } : {});

/** Posts to an endpoint of a running server. */
const postTo =
  (port: number): Post =>
  (cookie) =>
    fetch(`http://127.0.0.1:${port}/session`, { method: "POST", headers: headersOf(cookie) });

const ENDPOINTS: [name: string, use: (act: (post: Post) => Promise<void>) => Promise<void>][] = [
  [
    "Express",
    async (act) => {
      const { app } = loadPrinted<{ app: Express }>("express.ts", own);
      const server = createServer(app).listen(0, "127.0.0.1");
      await new Promise((resolve) => server.once("listening", resolve));
      try {
        await act(postTo((server.address() as AddressInfo).port));
      } finally {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  ],
  [
    "Fastify",
    async (act) => {
      const { app } = loadPrinted<{ app: FastifyInstance }>("fastify.ts", own);
      await app.listen({ port: 0, host: "127.0.0.1" });
      try {
        await act(postTo((app.server.address() as AddressInfo).port));
      } finally {
        await app.close();
      }
    },
  ],
  [
    "Next.js",
    async (act) => {
      const { POST } = loadPrinted<{ POST(request: Request): Promise<Response> }>("route.ts", own);
      const url = "https://shop.example/session";
      await act((cookie) => POST(new Request(url, { method: "POST", headers: headersOf(cookie) })));
    },
  ],
];

test.each(
  ENDPOINTS,
)("the endpoint of %s signs a session of the backend's user", async (name, use) => {
  await use(async (post) => {
    expect((await post()).status).toBe(401);

    const response = await post(`signed-in=ann-${name}`);
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toBe("no-store");
    const answer = (await response.json()) as { token: string };
    expect(answer).toEqual({ token: expect.any(String) });
    const { body } = await rest(node, "GET", "/session", { token: answer.token });
    expect(body.session.user).toMatchObject({
      login: `ann-${name}`,
      full_name: "Ann Gray",
    });
  });
});

test.each(
  ENDPOINTS,
)("the endpoint of %s answers with the message of a sign-in that cannot succeed", async (name, use) => {
  const login = `blocked-${name.replace(".", "")}`;
  await use(async (post) => {
    expect((await post(`signed-in=${login}`)).status).toBe(200);
    const [user] = await node.sql<{ id: number }>("SELECT id FROM users WHERE login = $1", [login]);
    await blockUser(node, { id: user?.id ?? 0 });
    const response = await post(`signed-in=${login}`);
    expect(response.status).toBe(403);
    const { message } = (await response.json()) as { message: string };
    expect(message).toBe("This user is blocked");
  });
});

test("each endpoint fits into 20 lines", () => {
  for (const file of ["express.ts", "fastify.ts", "route.ts"]) {
    expect(PRINTED_FILES.get(file)?.split("\n").length).toBeLessThanOrEqual(20);
  }
});

interface Robot {
  robot: ReturnType<typeof clientConnection>;
  declineCalls(): Promise<void>;
}

test("the program for Node.js declines calls", async () => {
  const { robot, declineCalls } = loadPrinted<Robot>("robot.ts");
  const running = declineCalls();
  const { user } = await robot.session.current();
  expect(user?.login).toBe("robot");
  const { body } = await rest(node, "GET", "/users/by_login?login=robot", {
    token: (await newUser(node)).token,
  });
  const caller = await connectGraphqlWs(node, await newUser(node));
  await caller.send({
    to: { userId: body.user.id },
    ...{ signalType: "call", callId: "c1", callType: "VIDEO", sdp: "v=0\r\n" },
  });
  expect(await caller.next()).toMatchObject({
    signalType: "reject",
    callId: "c1",
    userInfo: { busy: true },
  });
  caller.close();
  robot.close();
  // The caller may get the reject before the robot is told that it was sent.
  await running.catch(({ code }) => expect(code).toBe("CLOSED"));
});

interface Queries {
  openQueries(connection: object): {
    fetchQuery(options: object): Promise<{ nodes: { login: string }[] }>;
    getQueryCache(): { getAll(): unknown[] };
  };
  staffQuery(connection: object): object;
}

describe("TanStack Query", () => {
  test("reads through the client, and forgets what it has read with the user", async () => {
    const member = await newUser(node, { tag_list: "staff" });
    const connection = clientConnection(node.baseUrl, (await newUser(node)).token);
    await connection.session.current();
    const { openQueries, staffQuery } = loadPrinted<Queries>("queries.ts");
    const queries = openQueries(connection);
    const { nodes } = await queries.fetchQuery(staffQuery(connection));
    expect(nodes.map(({ login }) => login)).toEqual([member.login]);
    expect(queries.getQueryCache().getAll()).toHaveLength(1);
    const session = connection.session as unknown as { logOut(): Promise<void> };
    await session.logOut();
    expect(queries.getQueryCache().getAll()).toEqual([]);
    connection.close();
  });

  test("does not repeat what cannot succeed", async () => {
    const { token } = await newUser(node);
    await rest(node, "DELETE", "/session", { token });
    const connection = clientConnection(node.baseUrl, token);
    const { openQueries, staffQuery } = loadPrinted<Queries>("queries.ts");
    const options = staffQuery(connection) as { queryFn(): Promise<unknown> };
    let tries = 0;
    const counted = {
      ...options,
      queryFn() {
        tries += 1;
        return options.queryFn();
      },
    };
    await expect(openQueries(connection).fetchQuery(counted)).rejects.toMatchObject({
      code: "UNAUTHENTICATED",
    });
    expect(tries).toBe(1);
    connection.close();
  });
});

describe("the recipes without the package", () => {
  // A page has it, as Node.js 22; the libraries are loaded outside of the test's own globals.
  beforeAll(() => {
    sharedGlobal.WebSocket ??= WebSocket as never;
  });

  const WHO = "{ currentSession { user { login } } }";
  const SIGNALS = "subscription { callSignals { __typename from { userId } } }";
  interface Result {
    data?: unknown;
  }
  interface Open {
    read(query: string): Promise<unknown>;
    /** @returns a function that ends it */
    follow(query: string, next: (data: unknown) => void): () => void;
  }

  const LIBRARIES: [file: string, open: (url: string, token: string) => Open][] = [
    [
      "plain-apollo.ts",
      (url, token) => {
        const client = loadPrinted<{ openApollo: (...args: string[]) => ApolloClient }>(
          "plain-apollo.ts",
        ).openApollo(url, token);
        return {
          read: async (query) => (await client.query({ query: gql(query) })).data,
          follow(query, next) {
            const running = client
              .subscribe({ query: gql(query) })
              .subscribe(({ data }) => next(data));
            return () => {
              running.unsubscribe();
              client.stop();
            };
          },
        };
      },
    ],
    [
      "plain-graphql-ws.ts",
      (url, token) => {
        const client = loadPrinted<{ openSocket: (...args: string[]) => SocketClient }>(
          "plain-graphql-ws.ts",
        ).openSocket(url, token);
        return {
          async read(query) {
            for await (const { data } of client.iterate({ query })) return data;
          },
          follow(query, next) {
            const sink = { error: () => {}, complete: () => {} };
            client.subscribe({ query }, { ...sink, next: ({ data }: Result) => next(data) });
            return () => void client.dispose();
          },
        };
      },
    ],
    [
      "plain-urql.ts",
      (url, token) => {
        const client = loadPrinted<{ openUrql: (...args: string[]) => UrqlClient }>(
          "plain-urql.ts",
        ).openUrql(url, token);
        return {
          read: async (query) => (await client.query(query, {})).data,
          follow(query, next) {
            const results = client.subscription(query, {});
            return results.subscribe(({ data }) => next(data)).unsubscribe;
          },
        };
      },
    ],
  ];

  test.each(LIBRARIES)("%s reads, and gets signals, in 12 lines", async (file, open) => {
    const user = await newUser(node);
    const { read, follow } = open(node.graphqlUrl, user.token);
    expect(await read(WHO)).toMatchObject({ currentSession: { user: { login: user.login } } });
    const received: unknown[] = [];
    const end = follow(SIGNALS, (data) => received.push(data));
    const caller = await connectGraphqlWs(node, await newUser(node));
    const call = { signalType: "call", callId: file, callType: "VIDEO", sdp: "v=0\r\n" };
    await caller.send({ to: { userId: user.id }, ...call });
    await eventually(async () => {
      expect(received).toContainEqual({
        callSignals: expect.objectContaining({ __typename: "CallSignal" }),
      });
    });
    caller.close();
    end();
    expect(PRINTED_FILES.get(file)?.trimEnd().split("\n").length).toBeLessThanOrEqual(12);
  });
});

describe("the TypeScript that the guide prints", () => {
  const ROOT = join(__dirname, "../../..");
  /** What a reader has besides. */
  const OWN_FILES = {
    "users.ts": `export declare function userOf(
      cookie: string | undefined,
    ): Promise<{ id: string; name: string } | null>;`,
    "rest-types.ts": "export interface paths {}",
  };

  test("compiles with strict types, and its query gets what graphql-codegen infers", async () => {
    const sources = mkdtempSync(join(tmpdir(), "frontend-guide-"));
    const printed = [...PRINTED_FILES].filter(([name]) => name.endsWith(".ts"));
    for (const [name, code] of [...Object.entries(OWN_FILES), ...printed]) {
      writeFileSync(join(sources, name), code);
    }
    const sdl = readFileSync(join(ROOT, "schema/schema.graphql"), "utf8");
    const frontend = await createFrontend(sources, sdl);
    try {
      const files = printed.map(([name]) => name);
      const types = { types: ["node"], typeRoots: [join(ROOT, "node_modules/@types")] };
      expect(frontend.check(files, { ...types, allowImportingTsExtensions: true })).toEqual([]);

      const user = await newUser(node, { full_name: "Ann Gray" });
      const connection = clientConnection(node.baseUrl, user.token);
      const { userName } = await import(join(frontend.folder, "src/user-name.ts"));
      expect(await userName(connection, String(user.id))).toBe("Ann Gray");
      connection.close();
    } finally {
      frontend.remove();
      rmSync(sources, { recursive: true });
    }
  });
});
