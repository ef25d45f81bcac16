import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Express } from "express";
import type { FastifyInstance } from "fastify";
import { connectGraphqlWs } from "../../support/calls/graphql-signals";
import { startNode, type TestNode } from "../../support/node";
import { loadPrinted, PRINTED_FILES } from "../../support/printed-code";
import { clientConnection } from "../../support/published-clients/connection";
import { createFrontend } from "../../support/published-clients/frontend";
import { newUser, rest } from "../../support/rest-client";

/** The types, the endpoints, the program for Node.js and the queries that docs/FRONTEND.md prints. */

let node: TestNode;
beforeAll(async () => {
  node = await startNode();
  const { id, authKey, authSecret } = node.application;
  Object.assign(process.env, {
    SIGNALBOX_URL: node.baseUrl,
    SIGNALBOX_APPLICATION_ID: String(id),
    SIGNALBOX_AUTH_KEY: authKey,
    SIGNALBOX_AUTH_SECRET: authSecret,
    SIGNALBOX_USER_SECRET: "a secret of the backend, which is long enough",
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
  void declineCalls();
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
