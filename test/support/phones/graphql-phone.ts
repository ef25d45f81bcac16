import { once } from "node:events";
import { WebSocket } from "ws";
import { BasePhone, type Unacknowledged } from "./phone";

const LISTEN =
  "subscription ($after: String) { callSignals(after: $after) { id cursor signalType } }";
const SEND = "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id } }";

/** A phone over graphql-transport-ws that goes on after the cursor it stands at. */
export class GraphqlPhone extends BasePhone {
  private socket: WebSocket | undefined;
  private open = false;
  private cursor: string | undefined;

  protected async connect({ graphqlUrl }: { graphqlUrl: string }): Promise<void> {
    const socket = new WebSocket(graphqlUrl.replace(/^http/, "ws"), "graphql-transport-ws");
    this.socket = socket;
    socket.on("error", () => undefined);
    socket.on("open", () =>
      this.say({ type: "connection_init", payload: { token: this.owner.token } }),
    );
    socket.on("message", (data) => this.hear(JSON.parse(String(data))));
    await once(socket, "close");
    this.open = false;
  }

  protected transmit({ to, id }: Unacknowledged): void {
    if (!this.open) return;
    const input = { id, to: { userId: to.id }, signalType: "update", sessionId: "endurance" };
    this.say({
      type: "subscribe",
      id: `send ${id}`,
      payload: { query: SEND, variables: { input } },
    });
  }

  protected hangUp(): void {
    this.socket?.close();
  }

  private say(message: object): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  // biome-ignore lint/suspicious/noExplicitAny: messages of the protocol are looked into freely
  private hear({ type, id = "", payload }: { type: string; id?: string; payload?: any }): void {
    if (type === "ping") this.say({ type: "pong" });
    if (type === "connection_ack") {
      this.open = true;
      this.listen();
      for (const entry of this.unacknowledged.values()) this.transmit(entry);
      if (this.cursor === undefined) this.probe();
    }
    if (id.startsWith("listen") && type === "next" && payload.data)
      this.take(payload.data.callSignals);
    else if (id.startsWith("listen") && (type === "error" || payload?.errors)) {
      this.gaps.push(JSON.stringify(payload));
      this.cursor = undefined;
      this.socket?.close();
    } else if (id.startsWith("send ") && type === "next" && payload.data) {
      this.acknowledge(id.slice("send ".length));
    } else if (id.startsWith("send ") && (type === "error" || payload?.errors)) {
      // Refused for now: Redis may be away.
      const entry = this.unacknowledged.get(id.slice("send ".length));
      if (entry) setTimeout(() => this.transmit(entry), 300);
    }
  }

  private listen(): void {
    const variables = { after: this.cursor ?? null };
    this.say({
      type: "subscribe",
      id: `listen ${this.connections}`,
      payload: { query: LISTEN, variables },
    });
  }

  /** Signals itself until it hears it: from then on there is a cursor to go on after. */
  private probe(): void {
    if (this.cursor !== undefined || !this.open || this.stopped) return;
    const input = { to: { userId: this.owner.id }, signalType: "probe" };
    this.say({
      type: "subscribe",
      id: `probe ${Math.random()}`,
      payload: { query: SEND, variables: { input } },
    });
    setTimeout(() => this.probe(), 200);
  }

  private take({
    id,
    cursor,
    signalType,
  }: {
    id: string;
    cursor: string;
    signalType: string;
  }): void {
    this.cursor = cursor;
    this.tellReady();
    if (signalType !== "probe") this.note(id);
  }
}
