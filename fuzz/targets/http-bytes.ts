import { connect } from "node:net";
import { corrupt, type Random } from "../../tools/seeded-random";
import type { Fixture } from "../deployment/fixture";
import { chance, pick, several } from "../input/random";
import { hostileText, randomBytes } from "../input/values";
import { checkErrorText } from "./http-client";
import type { Case, Target } from "./target";

/** Timeout after which an open connection is closed, in milliseconds. */
const CUT_MS = 4_000;

/** Raw HTTP bytes: request lines, framing, chunks, pipelining, HTTP/1.0, missing Host. */
export const http: Target = {
  name: "http",
  weight: 2,
  concurrency: 16,
  async run(each) {
    const { random, deployment } = each;
    const node = pick(random, deployment.nodes);
    const urls = [node.urls.http, node.urls.http, node.urls.http, node.urls.ws];
    const url = pick(
      random,
      urls.filter((known) => known !== undefined),
    );
    const requests = several(random, 1, chance(random, 20) ? 6 : 1, () =>
      request(random, deployment.fixture),
    );
    let bytes: Buffer = Buffer.concat(requests);
    if (chance(random, 35)) bytes = corrupt(random, bytes);
    each.sent(bytes);
    const answer = await exchange(each, bytes, url);
    const statuses = [...answer.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) =>
      Number(status),
    );
    each.outcome(statuses.length === 0 ? "closed" : statuses.slice(0, 2).join(" "));
    const wrong = statuses.find((status) => status >= 500 && status !== 503);
    if (wrong !== undefined) each.violation(`status ${wrong}: ${answer.slice(0, 400)}`);
    checkErrorText(each, answer);
    for (const [, id] of answer.matchAll(/^x-request-id: (\S+)/gim)) each.request(id ?? "");
  },
};

function exchange(each: Case, bytes: Buffer, url: string): Promise<string> {
  const { random } = each;
  const { hostname, port } = new URL(url);
  const [parts, halfClosed, aborted] = [1 + random(3), chance(random, 60), chance(random, 8)];
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(Number(port), hostname);
    const timer = setTimeout(() => socket.destroy(), CUT_MS);
    socket.on("data", (chunk) => {
      if (text.length < 1_000_000) text += chunk.toString("latin1");
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(text);
    });
    socket.on("connect", () => {
      const size = Math.ceil(bytes.length / parts);
      for (let from = 0; from < bytes.length; from += size) {
        socket.write(bytes.subarray(from, from + size));
      }
      if (aborted) setTimeout(() => socket.resetAndDestroy(), random(5));
      else if (halfClosed) socket.end();
      else setTimeout(() => socket.end(), 50);
    });
  });
}

const METHODS = [
  "GET",
  "GET",
  "POST",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "HEAD",
  "TRACE",
  "CONNECT",
  "get",
  "PROPFIND",
  "QUERY",
  "G E T",
  "",
];
const PATHS = [
  "/session",
  "/login",
  "/users/v2?limit=5",
  "/graphql",
  "/graphql?query={__typename}",
  "*",
  "/healthz",
  "/users/1",
  "/openapi.json",
  "http://x/session",
  "//",
  "/%",
  "/a b",
  "/\xff",
  "",
  "/graphql/assets/..%2f..%2fpackage.json",
  "/users/%2e%2e",
  "/metrics",
  "/password/reset",
];
const VERSIONS = [
  "HTTP/1.1",
  "HTTP/1.1",
  "HTTP/1.1",
  "HTTP/1.0",
  "HTTP/0.9",
  "HTTP/2.0",
  "HTTP/1",
  "",
];
const HOSTS = [
  "Host: x\r\n",
  "Host: x\r\n",
  "Host: x\r\n",
  "",
  "Host:\r\n",
  "Host: \x00\r\n",
  "Host: a b\r\n",
  "Host: [::1\r\n",
  "Host: x\r\nHost: y\r\n",
  "Host: http://x/\r\n",
  "Host: :::\r\n",
  "Host: x:99999\r\n",
  "Host: \xff\xfe\r\n",
  "Host: a@b\r\n",
  "host : x\r\n",
];
const TYPES = ["application/json", "application/x-www-form-urlencoded", "text/plain", "a", ""];
const BODIES = [
  '{"query":"{__typename}"}',
  '{"login":"a","password":"b"}',
  "login=a&password=b",
  "",
  "{",
  "[]",
  '{"query":"mutation{logout{__typename}}","operationName":""}',
  "\xef\xbb\xbf{}",
  "null",
];

function request(random: Random, fixture: Fixture): Buffer {
  const body = pick(random, BODIES);
  const line = `${pick(random, METHODS)} ${pick(random, PATHS)} ${pick(random, VERSIONS)}\r\n`;
  const headers = [pick(random, HOSTS), ...several(random, 0, 4, () => header(random, fixture))];
  const [framing, framed] = frame(random, body);
  const close = chance(random, 60) ? "Connection: close\r\n" : "";
  const end = chance(random, 97) ? "\r\n" : "";
  const text = `${line}${headers.join("")}${framing}${close}${end}${framed}`;
  return Buffer.from(text, "latin1");
}

function header(random: Random, fixture: Fixture): string {
  switch (random(12)) {
    case 0:
      return `Svc-Token: ${fixture.token(random, 1) ?? ""}\r\n`;
    case 1:
      return `Authorization: ${pick(random, ["Bearer", "Basic", "bearer  x", ""])} ${hostileText(random)}\r\n`;
    case 2:
      return "Expect: 100-continue\r\n";
    case 3:
      return `Upgrade: ${pick(random, ["websocket", "h2c", "nothing", "", "WebSocket"])}\r\nConnection: Upgrade\r\n`;
    case 4: {
      const protocol = pick(random, ["graphql-transport-ws", "xmpp", "graphql-ws", ""]);
      const key = pick(random, ["dGhlIHNhbXBsZSBub25jZQ==", "x", ""]);
      return `Sec-WebSocket-Version: ${pick(random, ["13", "8", ""])}\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Protocol: ${protocol}\r\n`;
    }
    case 5:
      return `${hostileText(random).slice(0, 200)}: x\r\n`;
    case 6:
      return `X: ${randomBytes(random, 60).toString("latin1")}\r\n`;
    case 7:
      return `Cookie: ${"a=b; ".repeat(random(200))}\r\n`;
    case 8:
      return `Accept: ${pick(random, ["text/html", "*/*", "application/json", ""])}\r\n`;
    case 9:
      return `X-Forwarded-For: ${hostileText(random).slice(0, 200)}\r\n`;
    case 10:
      return `Origin: ${pick(random, ["null", "https://a", "", "\x80"])}\r\n`;
    default:
      return `Content-Type: ${pick(random, TYPES)}\r\n`;
  }
}

/** A framing header and a body, consistent or not. */
function frame(random: Random, body: string): [header: string, body: string] {
  const size = Buffer.byteLength(body, "latin1");
  const chunked = () => {
    const extension = chance(random, 20) ? `;${"a".repeat(random(300))}` : "";
    const trailer = chance(random, 20) ? "A: b\r\n" : "";
    return `${size.toString(16)}${extension}\r\n${body}\r\n0\r\n${trailer}\r\n`;
  };
  switch (random(9)) {
    case 0:
      return ["Transfer-Encoding: chunked\r\n", chunked()];
    case 1:
      return [`Content-Length: ${size}\r\nTransfer-Encoding: chunked\r\n`, chunked()];
    case 2:
      return [
        `Transfer-Encoding: ${pick(random, ["xchunked", "identity", "chunked, x"])}\r\n`,
        body,
      ];
    case 3:
      return [`Content-Length: ${size}\r\nContent-Length: ${random(40)}\r\n`, body];
    case 4:
      return [
        `Content-Length: ${pick(random, ["-1", "+2", "0x2", "1e1", " ", "9".repeat(30)])}\r\n`,
        body,
      ];
    case 5:
      return [`Content-Length: ${random(60)}\r\n`, body];
    case 6:
      return ["Transfer-Encoding: chunked\r\n", `${"f".repeat(random(20))}\r\n${body}`];
    default:
      return [`Content-Length: ${size}\r\n`, body];
  }
}
