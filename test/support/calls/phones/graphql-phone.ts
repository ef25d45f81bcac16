import { once } from "node:events";
import { WebSocket } from "ws";
import { sendInput } from "../send-input";
import { BasePhone, type Unacknowledged } from "./phone";

const LISTEN =
  "subscription ($after: String) { callSignals(after: $after) { id cursor signalType } }";
const SEND = "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id } }";

/** A phone over graphql-transport-ws that resubscribes after its last cursor. */
export class GraphqlPhone extends BasePhone {
  private socket: WebSocket | undefined;
  private open = false;
  private cursor: string | undefined;

  protected async connect({ graphqlUrl }: { graphqlUrl: string }): Promise<void> {
    const socket = new WebSocket(graphqlUrl.replace(/^http/, "ws"), "graphql-transport-ws");
    this.socket = socket;
    socket.on("error", () => undefined);
    socket.on("open", () =>
      this.write({ type: "connection_init", payload: { token: this.owner.token } }),
    );
    socket.on("message", (data) => this.handle(JSON.parse(String(data))));
    await once(socket, "close");
    this.open = false;
  }

  protected transmit({ to, id }: Unacknowledged): void {
    if (!this.open) return;
    const input = { id, to: { userId: to.id }, signalType: "update", callId: "endurance" };
    this.write({
      type: "subscribe",
      id: `send ${id}`,
      payload: { query: SEND, variables: { input: sendInput(input) } },
    });
  }

  protected hangUp(): void {
    this.socket?.close();
  }

  private write(message: object): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  // biome-ignore lint/suspicious/noExplicitAny: payloads of the protocol have many shapes
  private handle({ type, id = "", payload }: { type: string; id?: string; payload?: any }): void {
    if (type === "ping") this.write({ type: "pong" });
    if (type === "connection_ack") {
      this.open = true;
      this.listen();
      for (const entry of this.unacknowledged.values()) this.transmit(entry);
      if (this.cursor === undefined) this.probe();
    }
    if (id.startsWith("listen") && type === "next" && payload.data)
      this.take(payload.data.callSignals);
    else if (id.startsWith("listen") && (type === "error" || payload?.errors)) {
      const [error] = type === "error" ? payload : payload.errors;
      // While Redis or the database is away, the cursor stays valid.
      if (error.extensions.code !== "UNAVAILABLE") {
        this.gaps.push(JSON.stringify(payload));
        this.cursor = undefined;
      }
      this.socket?.close();
    } else if (id.startsWith("send ") && type === "next" && payload.data) {
      this.acknowledge(id.slice("send ".length));
    } else if (id.startsWith("send ") && (type === "error" || payload?.errors)) {
      // Refused, since Redis may be away: retry.
      const entry = this.unacknowledged.get(id.slice("send ".length));
      if (entry) setTimeout(() => this.transmit(entry), 300);
    }
  }

  private listen(): void {
    const variables = { after: this.cursor ?? null };
    this.write({
      type: "subscribe",
      id: `listen ${this.connections}`,
      payload: { query: LISTEN, variables },
    });
  }

  /** Sends signals to itself until one arrives, so that it has a cursor. */
  private probe(): void {
    if (this.cursor !== undefined || !this.open || this.stopped) return;
    const input = { to: { userId: this.owner.id }, signalType: "probe" };
    this.write({
      type: "subscribe",
      id: `probe ${Math.random()}`,
      payload: { query: SEND, variables: { input: sendInput(input) } },
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
