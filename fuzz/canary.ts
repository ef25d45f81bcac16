import { WebSocket } from "ws";
import { CHAT_DOMAIN, type Deployment } from "./deployment/deployment";
import type { FuzzUser } from "./deployment/fixture";
import type { NodeProcess } from "./deployment/node-process";
import { header, openStream, type XmppStream } from "./targets/xmpp-stream";

/** Pause between two rounds, in milliseconds. */
const ROUND_MS = 250;
/** Timeout of an answer, in milliseconds: far more than a busy machine needs. */
const ANSWER_MS = 60_000;

const SEND = "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id } }";
const LISTEN = "subscription { callSignals { signalType callId } }";

/**
 * A well-behaved client on each node, which must be served while the targets run: it reads its session,
 * receives a signal over a subscription, and pings over a chat stream.
 */
export class Canary {
  private readonly cleanups: Array<() => void> = [];
  private readonly work: Promise<void>[] = [];
  private running = true;
  /** Longest round since the last call of {@link slowest}, in milliseconds. */
  private slowestMs = 0;
  rounds = 0;

  private constructor(private readonly fail: (words: string) => void) {}

  /** Starts a canary on each node. */
  static async start(deployment: Deployment, fail: (words: string) => void): Promise<Canary> {
    const canary = new Canary(fail);
    for (const node of deployment.nodes) {
      const user = await deployment.fixture.newGuest(deployment.fixture.canary);
      await canary.join(node, user);
    }
    return canary;
  }

  slowest(): number {
    const slowest = this.slowestMs;
    this.slowestMs = 0;
    return slowest;
  }

  async stop(): Promise<void> {
    this.running = false;
    await Promise.all(this.work);
    for (const cleanUp of this.cleanups) cleanUp();
  }

  private async join(node: NodeProcess, user: FuzzUser): Promise<void> {
    const subscription = await Subscription.open(node, user);
    const stream = await signIn(node, user);
    this.cleanups.push(
      () => subscription.close(),
      () => stream.destroy(),
    );
    this.work.push(this.loop(node, user, subscription, stream));
  }

  private async loop(
    node: NodeProcess,
    user: FuzzUser,
    subscription: Subscription,
    stream: XmppStream,
  ): Promise<void> {
    for (let round = 0; this.running; round += 1) {
      const begun = performance.now();
      try {
        await within("the session is read", readSession(node, user));
        await within("a signal arrives", subscription.receives(`canary-${round}`));
        await within("a ping is answered", ping(stream, `canary-${round}-`));
      } catch (error) {
        if (this.running) this.fail(`canary: ${(error as Error).message}`);
        return;
      }
      this.rounds += 1;
      this.slowestMs = Math.max(this.slowestMs, performance.now() - begun);
      await new Promise((resolve) => setTimeout(resolve, ROUND_MS));
    }
  }
}

async function within<T>(what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(reject, ANSWER_MS, new Error(`${what}: not within ${ANSWER_MS / 1000} s`));
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

async function readSession(node: NodeProcess, { token }: FuzzUser): Promise<void> {
  const response = await fetch(`${node.urls.http}/session`, { headers: { "Svc-Token": token } });
  const text = await response.text();
  // 503 is allowed: the node sheds load.
  if (response.status !== 200 && response.status !== 503) {
    throw new Error(`GET /session answered ${response.status} ${text}`);
  }
}

async function signIn(node: NodeProcess, user: FuzzUser): Promise<XmppStream> {
  const stream = await openStream("ws", node.urls.ws ?? "");
  if (!stream) throw new Error("the chat endpoint refuses connections");
  const name = `${user.id}-${user.applicationId}`;
  const message = Buffer.from(`\0${name}\0${user.token}`).toString("base64");
  stream.write(header("ws"));
  stream.write(
    `<auth xmlns="urn:ietf:params:xml:ns:xmpp-sasl" mechanism="PLAIN">${message}</auth>`,
  );
  await stream.receives(/<success/);
  stream.write(header("ws"));
  stream.write(
    '<iq xmlns="jabber:client" type="set" id="b"><bind xmlns="urn:ietf:params:xml:ns:xmpp-bind"><resource>canary</resource></bind></iq>',
  );
  if (!(await stream.receives(/<jid>/)))
    throw new Error(`the stream was not bound: ${stream.text()}`);
  return stream;
}

async function ping(stream: XmppStream, id: string): Promise<void> {
  stream.write(
    `<iq xmlns="jabber:client" type="get" id="${id}" to="${CHAT_DOMAIN}"><ping xmlns="urn:xmpp:ping"/></iq>`,
  );
  if (!(await stream.receives(new RegExp(`id="${id}"`)))) {
    throw new Error(`the stream has ended: ${stream.text().slice(-400)}`);
  }
  stream.forget();
}

/** A graphql-ws socket with one subscription, which sends signals to itself. */
class Subscription {
  private readonly waiting = new Map<string, (error?: Error) => void>();
  private over: string | undefined;
  private messages = 0;
  private acknowledge: () => void = () => undefined;
  private readonly acknowledged = new Promise<void>((resolve) => {
    this.acknowledge = resolve;
  });

  private constructor(
    private readonly socket: WebSocket,
    private readonly user: FuzzUser,
  ) {
    socket.on("message", (data) => this.take(String(data)));
    socket.on("error", () => undefined);
    socket.on("close", (code, reason) => {
      this.over = `the subscription's socket was closed with ${code} ${reason}`;
      for (const done of this.waiting.values()) done(new Error(this.over));
    });
  }

  static async open(node: NodeProcess, user: FuzzUser): Promise<Subscription> {
    const url = `${node.urls.http?.replace("http", "ws")}/graphql`;
    const socket = new WebSocket(url, "graphql-transport-ws");
    const made = new Subscription(socket, user);
    await new Promise<void>((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", reject);
    });
    made.send({ type: "connection_init", payload: { token: user.token } });
    await made.acknowledged;
    made.send({ id: "listen", type: "subscribe", payload: { query: LISTEN } });
    return made;
  }

  /** Sends itself a signal until it arrives, because the protocol does not confirm subscriptions. */
  async receives(callId: string): Promise<void> {
    if (this.over !== undefined) throw new Error(this.over);
    const received = new Promise<void>((resolve, reject) => {
      this.waiting.set(callId, (error) => (error ? reject(error) : resolve()));
    });
    const input = { to: { userId: this.user.id }, signal: { update: { callId } } };
    const payload = { query: SEND, variables: { input } };
    const send = () => this.send({ id: `send-${++this.messages}`, type: "subscribe", payload });
    send();
    const again = setInterval(send, 5_000);
    await received.finally(() => {
      clearInterval(again);
      this.waiting.delete(callId);
    });
  }

  close(): void {
    this.socket.close();
  }

  private send(message: object): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private take(text: string): void {
    const { id, type, payload } = JSON.parse(text);
    if (type === "connection_ack") this.acknowledge();
    if (id !== "listen") return;
    if (type !== "next") {
      this.over = `the subscription ended: ${text}`;
      for (const done of this.waiting.values()) done(new Error(this.over));
      return;
    }
    this.waiting.get(payload?.data?.callSignals?.callId)?.();
  }
}
