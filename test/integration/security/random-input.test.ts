import { WebSocket } from "ws";
import { connectSocket, openSocket } from "../../../tools/graphql/graphql-socket";
import { corrupt, type Random, seededRandom } from "../../../tools/seeded-random";
import { startNode, type TestNode, WITHOUT_POLLING } from "../../support/node";
import { usedHeap } from "../../support/operations/heap";
import { exchange, HEAD, post, TYPE } from "../../support/rest/raw-http";
import { newUser, rest, type TestUser } from "../../support/rest-client";

let node: TestNode;
let user: TestUser;
let port: number;
let chatPort: number;
beforeAll(async () => {
  node = await startNode({}, WITHOUT_POLLING);
  user = await newUser(node);
  port = Number(new URL(node.baseUrl).port);
  chatPort = Number(new URL(node.chatUrl).port);
});
afterAll(() => node.stop());

afterEach(async () => {
  const ready = await rest(node, "GET", "/readyz");
  expect([ready.status, ready.body]).toEqual([200, { status: "ready" }]);
  const { status } = await rest(node, "GET", "/session", { token: user.token });
  expect(status).toBe(200);
});

describe("seeded random input", () => {
  const requests = () => [
    post("/login", `${TYPE}Content-Length: 28\r\n`, '{"login":"a","password":"b"}'),
    post("/graphql", `${TYPE}Content-Length: 24\r\n`, '{"query":"{__typename}"}'),
    `GET /users/v2?login[in][]=a&limit=5 HTTP/1.1\r\n${HEAD}Svc-Token: ${user.token}\r\n\r\n`,
    `PUT /users/${user.id} HTTP/1.1\r\n${HEAD}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 19\r\n\r\nuser[full_name]=a+b`,
    `GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n\x81\x05hello`,
  ];

  async function sendCorrupted(random: Random, rounds: number, at: number): Promise<void> {
    for (let turn = 0; turn < rounds; turn += 1) {
      const answers = await Promise.all(
        requests().map((request) => exchange(corrupt(random, Buffer.from(request, "latin1")), at)),
      );
      for (const answer of answers) {
        expect(answer).not.toMatch(/^HTTP\/1\.1 5\d\d(?! Service)/);
        expect(answer).not.toMatch(/node_modules|\.js:\d/);
      }
    }
  }

  test("in requests", async () => {
    const random = seededRandom(1);
    await sendCorrupted(random, 40, port);
    const before = usedHeap();
    await sendCorrupted(random, 80, port);
    expect(usedHeap() - before).toBeLessThan(20_000_000);
  });

  test("in requests to the chat endpoint", async () => {
    await sendCorrupted(seededRandom(2), 30, chatPort);
  });

  test("in graphql-transport-ws messages", async () => {
    const random = seededRandom(3);
    const messages = [
      '{"type":"connection_init","payload":{"token":"x"}}',
      '{"type":"ping","payload":{"a":1}}',
      '{"id":"1","type":"subscribe","payload":{"query":"{__typename}","variables":{"a":[1]}}}',
      '{"id":"1","type":"complete"}',
    ];
    for (let turn = 0; turn < 60; turn += 1) {
      const socket =
        turn % 2 === 0 ? await connectSocket(node) : await openSocket(node, user.token);
      const closed = socket.closed;
      for (const message of messages) {
        const bytes = corrupt(random, Buffer.from(message));
        // Sent as text in any case; half of the messages are not valid UTF-8.
        if (socket.socket.readyState === WebSocket.OPEN) {
          socket.socket.send(bytes, { binary: turn % 3 === 0 });
        }
      }
      socket.socket.close();
      const { code } = await closed;
      expect(code).not.toBe(1011);
      expect(code).not.toBe(4500);
    }
  });

  test("in frames after a handshake", async () => {
    const random = seededRandom(4);
    for (let turn = 0; turn < 60; turn += 1) {
      const handshake = Buffer.from(requests()[4]?.split("\r\n\r\n")[0] ?? "");
      const garbage = Buffer.from(Array.from({ length: 200 }, () => random(256)));
      await exchange(Buffer.concat([handshake, Buffer.from("\r\n\r\n"), garbage]), port);
    }
  });
});
