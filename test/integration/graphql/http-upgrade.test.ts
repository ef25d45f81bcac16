import { startNode, type TestNode } from "../../support/node";
import { request, TYPE } from "../../support/rest/raw-http";
import { newUser, type TestUser } from "../../support/rest-client";

/** HTTP/2 clients such as curl and Java's request an upgrade to h2c with their first plain-text request. */

let node: TestNode;
let user: TestUser;
let port: number;
beforeAll(async () => {
  node = await startNode();
  user = await newUser(node);
  port = Number(new URL(node.baseUrl).port);
});
afterAll(() => node.stop());

const UPGRADE = [
  "Host: x",
  "Connection: Upgrade, HTTP2-Settings",
  "Upgrade: h2c",
  "HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA",
].join("\r\n");
const UPGRADE_AND_CLOSE = UPGRADE.replace("HTTP2-Settings\r\n", "HTTP2-Settings, close\r\n");
const bodies = (answer: string) =>
  answer
    .split(/(?=HTTP\/1\.1 \d)/)
    .map((each) => [Number(each.split(" ")[1]), each.split("\r\n\r\n")[1]] as const);

test.each([
  ["with Content-Length", (body: string) => `Content-Length: ${body.length}\r\n\r\n${body}`],
  [
    "with chunked encoding",
    (body: string) =>
      `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  ],
])("the request and the next one are answered over HTTP/1.1: a body %s", async (_framing, framed) => {
  const body = JSON.stringify({ query: "{ currentSession { userId } }" });
  const token = `Svc-Token: ${user.token}`;
  const first = `POST /graphql HTTP/1.1\r\n${UPGRADE}\r\n${token}\r\n${TYPE}${framed(body)}`;
  const second = `GET /session HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${token}\r\n\r\n`;
  const answer = await request(first + second, port);
  const [one, two] = bodies(answer);
  expect(one?.[0]).toBe(200);
  expect(JSON.parse(one?.[1] ?? "")).toEqual({
    data: { currentSession: { userId: String(user.id) } },
  });
  expect(two?.[0]).toBe(200);
});

test("other options of the Connection header still apply", async () => {
  const answer = await request(`GET /session HTTP/1.1\r\n${UPGRADE_AND_CLOSE}\r\n\r\n`, port);
  expect(answer).toMatch(/^HTTP\/1\.1 401 [\s\S]*\r\nConnection: close\r\n/);
});

test("a large body is read completely, up to the limit", async () => {
  const send = (size: number) => {
    const body = JSON.stringify({ login: "x".repeat(size) });
    const head = `POST /login HTTP/1.1\r\n${UPGRADE_AND_CLOSE}\r\nSvc-Token: none\r\n${TYPE}`;
    return request(`${head}Content-Length: ${body.length}\r\n\r\n${body}`, port);
  };
  expect(await send(200_000)).toMatch(/^HTTP\/1\.1 401 /);
  expect(await send(300_000)).toMatch(/^HTTP\/1\.1 413 /);
});
