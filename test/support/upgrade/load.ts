import { setTimeout as wait } from "node:timers/promises";
import { GraphqlPhone } from "../calls/phones/graphql-phone";
import type { Owner, Phone } from "../calls/phones/phone";
import { XmppPhone } from "../calls/phones/xmpp-phone";
import { sendInput } from "../calls/send-input";
import type { VersionNode } from "./versions";

/** Average pause of each client between two requests, in milliseconds. */
const PACE_MS = 300;
const SEND = "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id } }";
const CALL = "query ($id: ID!) { call(callId: $id) { state } }";

/** An answer of the service. */
export interface Answer {
  status: number;
  /** Code of the first GraphQL error; null without one. */
  code: string | null;
  /** When the request was sent and when it was answered, in milliseconds. */
  sent: number;
  answered: number;
}

/** An answer of GraphQL; of other answers nothing is read. */
interface GraphqlAnswer {
  data?: { call?: { state: string } } | null;
  errors?: { extensions: { code: string } }[];
}

/** What the clients have been told, to compare with what has happened. */
export interface Acknowledged {
  /** Ids of signals by recipient. */
  signals: Map<Phone, string[]>;
  /** Texts of pushes. */
  pushes: string[];
  /** Calls that were hung up, with their callers. */
  calls: { id: string; caller: Owner }[];
  answers: Answer[];
}

/** Clients that use the running nodes all the time: signals over GraphQL and XMPP, calls, pushes and REST. */
export class Load {
  readonly acknowledged: Acknowledged;
  private readonly phones: Phone[];
  private readonly loops: Promise<void>[] = [];
  private count = 0;
  private over = false;

  /** @param nodes the nodes that clients may use now */
  constructor(
    private readonly owners: Owner[],
    private readonly nodes: () => VersionNode[],
  ) {
    this.phones = owners.map((owner, index) =>
      index % 2 === 0 ? new GraphqlPhone(owner, nodes) : new XmppPhone(owner, nodes),
    );
    this.acknowledged = {
      signals: new Map(this.phones.map((phone) => [phone, []])),
      pushes: [],
      calls: [],
      answers: [],
    };
  }

  /** Starts the clients; resolves once all can receive signals. */
  async start(): Promise<void> {
    await Promise.all(this.phones.map(({ ready }) => ready));
    for (const [index, phone] of this.phones.entries()) {
      this.loops.push(this.repeat(() => this.signal(phone)));
      const other = this.owners[(index + 1) % this.owners.length]!;
      this.loops.push(this.repeat(() => this.call(phone.owner, other)));
      this.loops.push(this.repeat(() => this.push(phone.owner, other)));
      this.loops.push(this.repeat(() => this.change(phone.owner)));
    }
  }

  /** Waits until each client has made some further requests. */
  async proceed(): Promise<void> {
    const enough = this.count + 8 * this.owners.length;
    while (this.count < enough) await wait(50);
  }

  /** Ends the clients after their current requests. */
  async stop(): Promise<void> {
    this.over = true;
    await Promise.all(this.loops);
  }

  /** Ids of acknowledged signals that have not arrived yet. */
  missingSignals(): string[] {
    return [...this.acknowledged.signals].flatMap(([{ received }, ids]) =>
      ids.filter((id) => !received.has(id)),
    );
  }

  /** Why phones had to start without their cursors. */
  gaps(): string[] {
    return this.phones.flatMap(({ gaps }) => gaps);
  }

  hangUp(): void {
    for (const phone of this.phones) phone.stop();
  }

  /** The state of a call, as its caller sees it. */
  async stateOf({ id, caller }: Acknowledged["calls"][number]): Promise<string | undefined> {
    return (await this.graphql(CALL, { id }, caller)).data?.call?.state;
  }

  private async repeat(act: () => Promise<void>): Promise<void> {
    while (!this.over) {
      await wait(Math.random() * 2 * PACE_MS);
      await act();
      this.count++;
    }
  }

  private nextId(): string {
    return `${Date.now()}-${this.owners.length}-${Math.random()}`;
  }

  private async signal(phone: Phone): Promise<void> {
    const to = this.phones[Math.floor(Math.random() * this.phones.length)]!;
    const id = this.nextId();
    await phone.send(to.owner, id);
    this.acknowledged.signals.get(to)?.push(id);
  }

  private async call(caller: Owner, callee: Owner): Promise<void> {
    const id = this.nextId();
    const offer = { callType: "VIDEO", sdp: "v=0" };
    await this.sendSignal(caller, callee, { signalType: "call", callId: id, ...offer });
    await this.sendSignal(callee, caller, { signalType: "accept", callId: id, sdp: "v=0" });
    await this.sendSignal(caller, callee, { signalType: "hangUp", callId: id });
    this.acknowledged.calls.push({ id, caller });
  }

  private async sendSignal(from: Owner, to: Owner, signal: object): Promise<void> {
    const input = sendInput({ id: this.nextId(), to: { userId: to.id }, ...signal });
    while (!(await this.graphql(SEND, { input }, from)).data) await wait(100);
  }

  private async push(from: Owner, to: Owner): Promise<void> {
    const text = this.nextId();
    const message = `payload=${Buffer.from(JSON.stringify({ data: { text } })).toString("base64")}`;
    const event = {
      notification_type: "push",
      push_type: "gcm",
      environment: "development",
      message,
      user: { ids: to.id },
    };
    const headers = { "Idempotency-Key": text };
    while ((await this.request(from, "POST", "/events", { event }, headers)) !== 201) {
      await wait(100);
    }
    this.acknowledged.pushes.push(text);
  }

  private async change(owner: Owner): Promise<void> {
    const user = { full_name: this.nextId() };
    while ((await this.request(owner, "PUT", `/users/${owner.id}`, { user })) !== 200) {
      await wait(100);
    }
  }

  private async graphql(
    query: string,
    variables: object,
    { token }: Owner,
  ): Promise<{ data: GraphqlAnswer["data"] }> {
    const body = { query, variables };
    const { answer, status, times } = await this.send(
      "POST",
      (node) => node.graphqlUrl,
      token,
      body,
    );
    const code = answer?.errors?.[0]?.extensions?.code ?? null;
    this.acknowledged.answers.push({ status, code, ...times });
    return { data: code === null ? (answer?.data ?? null) : null };
  }

  private async request(
    { token }: Owner,
    method: string,
    path: string,
    body: object,
    headers: Record<string, string> = {},
  ): Promise<number> {
    const url = (node: VersionNode) => `${node.baseUrl}${path}`;
    const { status, times } = await this.send(method, url, token, body, headers);
    this.acknowledged.answers.push({ status, code: null, ...times });
    return status;
  }

  /** Sends a request to a random node; a connection that a node refuses or closes is made again, as a balancer does. */
  private async send(
    method: string,
    urlOf: (node: VersionNode) => string,
    token: string,
    body: object,
    headers: Record<string, string> = {},
  ) {
    for (;;) {
      const nodes = this.nodes();
      const node = nodes[Math.floor(Math.random() * nodes.length)]!;
      const sent = Date.now();
      try {
        const response = await fetch(urlOf(node), {
          method,
          headers: { "Svc-Token": token, "Content-Type": "application/json", ...headers },
          body: JSON.stringify(body),
        });
        const answer = (await response.json().catch(() => null)) as GraphqlAnswer | null;
        return { status: response.status, answer, times: { sent, answered: Date.now() } };
      } catch {
        await wait(50);
      }
    }
  }
}
