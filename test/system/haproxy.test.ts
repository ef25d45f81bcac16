import { request } from "node:https";
import { WebSocket } from "ws";
import { eventually } from "../../scripts/services/binaries";
import { startNode, type TestNode } from "../support/node";
import { type Haproxy, startHaproxy } from "../support/operations/haproxy";

/** The configuration of deploy/haproxy in a real HAProxy, with few file descriptors. */

const DESCRIPTORS = 400;

let node: TestNode;
let haproxy: Haproxy;

beforeAll(async () => {
  node = await startNode({ TRUST_PROXY: "127.0.0.1" });
  const portOf = (url: string | undefined) => Number(new URL(url ?? "").port);
  haproxy = await startHaproxy(
    {
      4000: portOf(node.baseUrl),
      5291: portOf(node.app.chatUrls.ws),
      8989: portOf(node.app.conferenceUrls.ws),
    },
    DESCRIPTORS,
  );
});
afterAll(async () => {
  await haproxy?.stop();
  await node?.stop();
});

/** Sends a request to the balancer. @returns status and body */
function get(host: string, path: string): Promise<[number | undefined, string]> {
  return new Promise((resolve, reject) => {
    const { port } = haproxy;
    const options = { host: "127.0.0.1", port, path, servername: host, rejectUnauthorized: false };
    const sent = request({ ...options, headers: { Host: host } }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part) => {
        text += part;
      });
      response.on("end", () => resolve([response.statusCode, text]));
    });
    sent.once("error", reject);
    sent.end();
  });
}

/** Opens a WebSocket through the balancer, and returns the sub-protocol. */
function openSocket(host: string, protocol: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`wss://127.0.0.1:${haproxy.port}/`, protocol, {
      headers: { Host: host },
      rejectUnauthorized: false,
    });
    socket.once("error", reject);
    socket.once("open", () => {
      resolve(socket.protocol);
      socket.terminate();
    });
  });
}

test("it takes as many clients as its file descriptors allow", async () => {
  const info = await haproxy.command("show info");
  const read = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, "m").exec(info)?.[1]);
  expect(read("Ulimit-n")).toBeLessThanOrEqual(DESCRIPTORS);
  // Two for each client; the rest is for its listeners and probes.
  expect(read("Maxconn")).toBeGreaterThan(DESCRIPTORS / 4);
  expect(read("Maxconn")).toBeLessThan(DESCRIPTORS / 2);
});

test("it forwards requests and sockets to a node that is ready, and hides the metrics", async () => {
  await eventually(async () => {
    expect(await get("api.example", "/readyz")).toEqual([200, '{"status":"ready"}']);
  });
  expect((await get("api.example", "/session"))[0]).toBe(401);
  for (const path of ["/metrics", "/%6detrics", "/chat/sign-in"]) {
    expect([path, (await get("api.example", path))[0]]).toEqual([path, 404]);
  }
  expect(await openSocket("chat.example", "xmpp")).toBe("xmpp");
  expect(await openSocket("conference.example", "janus-protocol")).toBe("janus-protocol");
});
