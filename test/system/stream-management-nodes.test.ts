import { client, type XmlNode } from "@xmpp/client";
import { WebSocket } from "ws";
import { connectGraphqlWs, type GraphqlClient } from "../support/calls/graphql-signals";
import { bind, DOMAIN } from "../support/chat/chat";
import { ENABLE, managedStream, nextIds, resumeStream } from "../support/chat/managed-stream";
import { eventually } from "../support/moving-clock";
import { startNode, type TestNode } from "../support/node";
import { type BreakableProxy, startBreakableProxy } from "../support/operations/breakable-proxy";
import { type ServiceProcess, startProcess } from "../support/process";
import { newUser, type TestUser } from "../support/rest-client";

/** Chat streams whose node goes down, with real PostgreSQL and Redis: no signal is lost. */

Object.assign(globalThis, { WebSocket });

const portOf = (url: string) => Number(new URL(url).port);

describe("a stream whose node is down", onServices);

function onServices() {
  let survivor: TestNode;
  let user: TestUser;
  let name: string;
  let sender: GraphqlClient;
  const closers: (() => unknown)[] = [];

  beforeAll(async () => {
    survivor = await startNode({ CHAT_DOMAIN: DOMAIN });
    user = await newUser(survivor);
    name = `${user.id}-${survivor.application.id}`;
    sender = await connectGraphqlWs(survivor, await newUser(survivor));
  });
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  afterAll(async () => {
    sender?.close();
    await survivor?.stop();
  });

  const send = async (...ids: string[]) => {
    for (const id of ids) {
      const hangUp = { signalType: "hangUp", callId: "s" };
      await sender.send({ ...hangUp, id, to: { userId: user.id } });
    }
  };

  /** Starts another node as a process that can be killed. */
  async function startOther(): Promise<{ service: ServiceProcess; chatUrl: string }> {
    const service = startProcess({ ...survivor.environment, LOG_LEVEL: "info" });
    closers.push(() => service.child.kill("SIGKILL"));
    const { chat } = await service.ready();
    return { service, chatUrl: chat.ws ?? "" };
  }

  it.each([
    ["killed", "SIGKILL"],
    ["stopped", "SIGTERM"],
  ] as const)("%s continues on another node with its unacknowledged signals", async (how, end) => {
    const { service, chatUrl } = await startOther();
    const stream = await managedStream(chatUrl, name, "web", user.password);
    const ids = ["one", "two", "three"].map((id) => `${how} ${id}`);
    await send(...ids);
    expect(await nextIds(stream, 3)).toEqual(ids);
    service.child.kill(end);
    await service.exited;
    await send(`${how} four`);
    const again = await resumeStream(survivor.chatUrl, name, stream.previd, 3, user.password);
    expect(again.answer).toContain("<item-not-found ");
    again.send(bind("web"));
    expect(await again.next()).toContain("<jid>");
    again.send(ENABLE);
    expect(await again.next()).toContain("<enabled ");
    expect(await nextIds(again, 4)).toEqual([...ids, `${how} four`]);
    again.socket.terminate();
  });

  it("is continued by xmpp.js without help, while signals keep arriving", async () => {
    const { service, chatUrl } = await startOther();
    const proxy: BreakableProxy = await startBreakableProxy(portOf(chatUrl));
    closers.push(() => proxy.close());
    const xmpp = client({
      service: `ws://127.0.0.1:${proxy.port}`,
      domain: DOMAIN,
      username: name,
      password: user.password,
      resource: "xmpp.js",
    });
    Object.assign(xmpp.reconnect, { delay: 20 });
    xmpp.on("error", () => {});
    closers.push(() => xmpp.stop().catch(() => {}));
    const received = new Set<string>();
    xmpp.on("stanza", (stanza: XmlNode) => {
      if (stanza.is("message")) received.add(stanza.attrs.id ?? "");
    });
    await xmpp.start();
    await eventually(
      () => xmpp.streamManagement.enabled,
      (enabled) => enabled,
    );
    const ids = Array.from({ length: 60 }, (_, index) => `n${index}`);
    for (const [index, id] of ids.entries()) {
      await send(id);
      if (index !== 30) continue;
      proxy.redirect(portOf(survivor.chatUrl));
      service.child.kill("SIGKILL");
    }
    await eventually(
      () => ids.filter((id) => !received.has(id)),
      (missing) => missing.length === 0,
    );
    expect(xmpp.status).toBe("online");
  });
}
