import {
  constants,
  createServer,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import {
  Http2Sender,
  IDLE_MS,
  tlsContext,
} from "../../../src/domain/push/providers/http/http2-sender";
import { Connector } from "../../../src/platform/network/connector";
import { closeAfterEach } from "../../support/close-after-each";
import { MovingClock } from "../../support/moving-clock";

/** How pushes are sent on one HTTP/2 connection whose server refuses some, goes away, or no longer answers. */

const REFUSED = constants.NGHTTP2_REFUSED_STREAM;

const opened = closeAfterEach();
const clock = new MovingClock();

async function listen(server: Http2Server | ReturnType<typeof createTcpServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** A server that calls back for each request, with its body, and the number of its connections. */
async function serve(
  handle: (stream: ServerHttp2Stream, session: ServerHttp2Session, body: string) => void,
  onSession: (session: ServerHttp2Session) => void = () => undefined,
) {
  const server = createServer();
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("error", () => undefined);
    onSession(session);
  });
  server.on("stream", (stream) => {
    stream.on("error", () => undefined);
    let body = "";
    stream.on("data", (chunk: Buffer) => {
      body += chunk;
    });
    stream.on("end", () => {
      const { session } = stream;
      if (session) handle(stream, session as ServerHttp2Session, body);
    });
  });
  const port = await listen(server);
  opened({
    close: () => {
      for (const session of sessions) session.destroy();
      server.close();
    },
  });
  return { port, sessions };
}

function sendTo(port: number, timeoutMs = 10_000) {
  const sender = new Http2Sender({
    origin: `http://127.0.0.1:${port}`,
    secureContext: tlsContext(undefined),
    connector: new Connector({ allowPrivate: true }),
    timeoutMs,
    clock,
    inFlightMax: 600,
  });
  opened(sender);
  return (body = "") => sender.post({ ":path": "/" }, body);
}

const accept = (stream: ServerHttp2Stream) => {
  stream.respond({ ":status": 200 });
  stream.end();
};

test.each([
  ["with an error", constants.NGHTTP2_INTERNAL_ERROR],
  ["without an error", constants.NGHTTP2_NO_ERROR],
])("what a GOAWAY %s does not name is sent again at once, the rest is not", async (_, code) => {
  const received: string[] = [];
  let goneAway = false;
  const held: ServerHttp2Stream[] = [];
  const { port, sessions } = await serve((stream, session, body) => {
    received.push(body);
    if (goneAway) return accept(stream);
    held.push(stream);
    if (held.length < 4) return;
    goneAway = true;
    // The server has processed the first two, and says so before the connection ends.
    const ids = held.map(({ id = 0 }) => id).sort((a, b) => a - b);
    session.goaway(code, ids[1]);
    setTimeout(() => session.destroy(), 50);
  });
  const send = sendTo(port);
  const outcomes = await Promise.allSettled(["a", "b", "c", "d"].map((body) => send(body)));
  expect(outcomes.map(({ status }) => status)).toEqual([
    ...["rejected", "rejected"],
    ...["fulfilled", "fulfilled"],
  ]);
  expect(received.slice(0, 4)).toEqual(["a", "b", "c", "d"]);
  expect(received.slice(4).sort()).toEqual(["c", "d"]);
  expect(sessions.size).toBe(2);
});

test("a burst to a service that announces its limit late is sent on one connection, within that limit", async () => {
  const LIMIT = 50;
  let active = 0;
  let refused = 0;
  let most = 0;
  const { port, sessions } = await serve(
    (stream) => {
      if (active >= LIMIT) {
        refused += 1;
        stream.close(REFUSED);
        return;
      }
      active += 1;
      most = Math.max(most, active);
      setTimeout(() => {
        active -= 1;
        accept(stream);
      }, 20);
    },
    (session) => {
      setTimeout(() => {
        if (!session.destroyed) session.settings({ maxConcurrentStreams: LIMIT });
      }, 200);
    },
  );
  const send = sendTo(port);
  const answers = await Promise.all(Array.from({ length: 600 }, () => send()));
  expect(answers.map(({ status }) => status)).toEqual(Array(600).fill(200));
  expect(most).toBeLessThanOrEqual(LIMIT);
  // The first burst has 100 streams, as many as a server should allow that has announced nothing.
  expect(refused).toBeLessThanOrEqual(100);
  expect(sessions.size).toBe(1);
  // The limit outlives the connection.
  refused = 0;
  for (const session of sessions) session.destroy();
  const more = await Promise.all(Array.from({ length: 200 }, () => send()));
  expect(more.map(({ status }) => status)).toEqual(Array(200).fill(200));
  expect([refused, sessions.size]).toEqual([0, 2]);
});

test("a service that refuses everything is asked three times, on another connection at last", async () => {
  let asked = 0;
  const { port, sessions } = await serve((stream) => {
    asked += 1;
    stream.close(REFUSED);
  });
  await expect(sendTo(port)()).rejects.toMatchObject({ kind: "unprocessed" });
  expect([asked, sessions.size]).toEqual([3, 2]);
});

test("an idle connection that was dropped silently is replaced before the next push", async () => {
  const { port: upstream, sessions } = await serve(accept);
  const pipes: Socket[] = [];
  const middle = createTcpServer((socket) => {
    const onward = connect(upstream, "127.0.0.1");
    for (const each of [socket, onward]) each.on("error", () => undefined);
    pipes.push(socket, onward);
    socket.pipe(onward).pipe(socket);
  });
  const port = await listen(middle);
  opened({
    close: () => {
      for (const socket of pipes) socket.destroy();
      middle.close();
    },
  });
  const send = sendTo(port, 60_000);
  await send();
  // Verified, and kept.
  clock.advance(IDLE_MS);
  await Promise.all([send(), send()]);
  expect(sessions.size).toBe(1);
  // As a firewall does: no data arrives any more, not even FIN.
  for (const socket of pipes) socket.unpipe().pause();
  clock.advance(IDLE_MS);
  const answers = await Promise.all([send(), send(), send()]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(sessions.size).toBe(2);
});
