import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createClient as createStanzaClient } from "stanza";
import { childText } from "stanza/jxt";
import { SELF_SIGNED_CERT } from "../../../src/core/tls/self-signed";
import { AsyncQueue } from "../../../tools/async-queue";
import { textAt } from "../chat/xml-tree";
import type { TestNode } from "../node";
import { trustGlobally } from "../operations/certificates";
import type { TestUser } from "../rest-client";
import { connectStrophe, connectXmppJs, jidOf, type LibraryChat } from "./signal-clients";

/** Content of a call in these tests. */
export interface CallParams {
  signalType: string;
  sessionID: string;
  callType: string;
  sdp: string;
  full_name: string;
}

/** A received call, as parsed by the client's library. */
export interface ReceivedCall extends CallParams {
  from: string;
  id: string;
}

/** A client based on a library, used as in an application. */
export interface LibraryClient {
  /** Full JID assigned by the server. */
  jid: string;
  call(to: string, params: CallParams): void;
  nextCall(): Promise<ReceivedCall>;
  /** Resolves when the server has answered. */
  ping(): Promise<unknown>;
  /** Resolves when the stream has ended. */
  disconnect(): Promise<unknown>;
}

/** Signs a user in. */
export type Connect = (
  node: TestNode,
  user: TestUser,
  resource: string,
  secret: string,
) => Promise<LibraryClient>;

const FIELDS = ["signalType", "sessionID", "callType", "sdp", "full_name"] as const;

/** Makes the libraries in this process trust the node's certificate. */
export function trustNode(node: TestNode): void {
  trustGlobally(readFileSync(certificateOf(node), "utf8"));
}

const certificateOf = (node: TestNode) => join(node.environment.DATA_DIR ?? "", SELF_SIGNED_CERT);

const escapeXml = (text: string) =>
  text.replace(/[&<>\r]/g, (character) => `&#${character.charCodeAt(0)};`);

/** Wraps a client that sends stanzas as text. */
function onText(client: LibraryChat): LibraryClient {
  return {
    jid: client.jid,
    call(to, params) {
      const content = FIELDS.map((name) => `<${name}>${escapeXml(params[name])}</${name}>`).join(
        "",
      );
      client.send(
        `<message xmlns="jabber:client" type="headline" to="${to}" id="t1"><extraParams><moduleIdentifier>WebRTCVideoChat</moduleIdentifier>${content}</extraParams></message>`,
      );
    },
    async nextCall() {
      const tree = await client.next();
      const params = FIELDS.map((name) => [name, textAt(tree, "extraParams", name)]);
      const { from = "", id = "" } = tree.attributes;
      return { ...Object.fromEntries(params), from, id };
    },
    ping: () => client.ping(),
    async disconnect() {
      await client.disconnect();
    },
  };
}

/** Connects by xmpp.js, over a transport of the node. */
export const onXmppJs =
  (way: keyof TestNode["chatUrls"]): Connect =>
  async (node, user, resource, secret) =>
    onText(await connectXmppJs(node, user, resource, secret, node.chatUrls[way]));

/** Connects by Strophe, which only supports WebSocket. */
export const onStrophe =
  (way: "ws" | "wss"): Connect =>
  async (node, user, resource, secret) =>
    onText(await connectStrophe(node, user, resource, secret, node.chatUrls[way]));

interface StanzaMessage {
  from?: string;
  id?: string;
  extraParams?: CallParams;
}

/** Connects by stanza.js, with signal elements defined like in an application. */
export const onStanza =
  (way: "ws" | "wss"): Connect =>
  async (node, user, resource, secret) => {
    const client = createStanzaClient({
      jid: jidOf(node, user),
      resource,
      password: secret,
      autoReconnect: false,
      transports: { websocket: node.chatUrls[way] ?? false, bosh: false },
    });
    const fields = ["moduleIdentifier", ...FIELDS].map((name) => [name, childText(null, name)]);
    client.stanzas.define({
      aliases: [{ path: "message.extraParams" }],
      element: "extraParams",
      namespace: "jabber:client",
      fields: Object.fromEntries(fields),
    });
    const calls = new AsyncQueue<ReceivedCall>();
    client.on("message", (message) => {
      const { from = "", id = "", extraParams } = message as StanzaMessage;
      if (extraParams) calls.push({ ...extraParams, from, id });
    });
    const left = new Promise((resolve) => client.on("disconnected", resolve));
    await new Promise((resolve, reject) => {
      client.on("session:started", resolve);
      client.on("auth:failed", () => reject(new Error("refused")));
      client.connect();
    });
    return {
      jid: client.jid,
      call(to, params) {
        const extraParams = { moduleIdentifier: "WebRTCVideoChat", ...params };
        client.sendMessage({ to, type: "headline", extraParams } as never);
      },
      nextCall: () => calls.next(),
      ping: () => client.ping(),
      disconnect() {
        client.disconnect();
        return left;
      },
    };
  };

interface SlixmppEvent {
  event: "started" | "refused" | "signal" | "pong" | "left";
  jid?: string;
  sender?: string;
  id?: string;
  params?: CallParams;
}

const programs = new Set<ChildProcess>();

/** Kills programs that a failed test left running. */
export function endPrograms(): void {
  for (const program of programs) program.kill();
}

/** Connects by slixmpp, in the installed Python. */
export const onSlixmpp =
  (way: "tcp" | "tls"): Connect =>
  async (node, user, resource, secret) => {
    const url = new URL(node.chatUrls[way] ?? "");
    const child = spawn("/usr/bin/python3", [join(__dirname, "../chat/slixmpp_client.py")], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    programs.add(child);
    let problems = "";
    child.stderr.on("data", (data) => {
      problems += data;
    });
    const events = new Map<string, AsyncQueue<SlixmppEvent>>();
    const of = (name: string) => {
      const found = events.get(name) ?? new AsyncQueue<SlixmppEvent>();
      events.set(name, found);
      return found;
    };
    createInterface({ input: child.stdout }).on("line", (line) => {
      const event: SlixmppEvent = JSON.parse(line);
      if (event.event === "refused") of("started").end("refused");
      of(event.event).push(event);
    });
    child.on("close", () => {
      programs.delete(child);
      for (const name of ["started", "signal", "pong", "left"]) of(name).end(`ended: ${problems}`);
    });
    const say = (line: object) => child.stdin.write(`${JSON.stringify(line)}\n`);
    say({
      jid: jidOf(node, user, resource),
      secret,
      ca: certificateOf(node),
      host: "127.0.0.1",
      port: Number(url.port),
      tls: way === "tls",
    });
    const { jid = "" } = await of("started").next();
    return {
      jid,
      call(to, params) {
        say({ do: "call", to, params: { moduleIdentifier: "WebRTCVideoChat", ...params } });
      },
      async nextCall() {
        const { sender = "", id = "", params } = await of("signal").next();
        if (!params) throw new Error("a message without parameters");
        return { ...params, from: sender, id };
      },
      ping() {
        say({ do: "ping" });
        return of("pong").next();
      },
      async disconnect() {
        say({ do: "leave" });
        await of("left").next();
        child.stdin.end();
      },
    };
  };
