import { setTimeout as wait } from "node:timers/promises";
import { credentialHeader } from "../../../tools/graphql/graphql-http";
import { GraphqlPhone } from "../calls/phones/graphql-phone";
import type { Owner, Phone } from "../calls/phones/phone";
import { XmppPhone } from "../calls/phones/xmpp-phone";
import { sendInput } from "../calls/send-input";
import { type SignInNode, signedParameters, type TestUser } from "../rest-client";
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

/** What is read of an answer: of GraphQL, or of a sign-in over REST. */
interface ServiceAnswer {
  data?: { call?: { state: string } } | null;
  errors?: { extensions: { code: string } }[];
  session?: { token: string };
}

/** Who signs in again and again. */
export interface SigningUser {
  application: SignInNode["application"];
  user: Pick<TestUser, "login" | "password">;
}

/** What the clients have been told, to compare with what has happened. */
export interface Acknowledged {
  /** Ids of signals by recipient. */
  signals: Map<Phone, string[]>;
  /** Texts of pushes. */
  pushes: string[];
  /** Calls that were hung up, with their callers. */
  calls: { id: string; caller: Owner }[];
  /** Tokens of sessions. */
  sessions: string[];
  answers: Answer[];
}

/** Clients that use the running nodes all the time: signals over GraphQL and XMPP, calls, pushes, sign-ins and REST. */
export class Load {
  readonly acknowledged: Acknowledged;
  private readonly phones: Phone[];
  private readonly loops: Promise<void>[] = [];
  private count = 0;
  private over = false;

  /** @param nodes the nodes that clients may use now */
  constructor(
    private readonly owners: Owner[],
    private readonly signing: SigningUser,
    private readonly nodes: () => VersionNode[],
  ) {
    this.phones = owners.map((owner, index) =>
      index % 2 === 0 ? new GraphqlPhone(owner, nodes) : new XmppPhone(owner, nodes),
    );
    this.acknowledged = {
      signals: new Map(this.phones.map((phone) => [phone, []])),
      pushes: [],
      calls: [],
      sessions: [],
      answers: [],
    };
  }

  /** Starts the clients; resolves once all can receive signals. */
  async start(): Promise<void> {
    await Promise.all(this.phones.map(({ ready }) => ready));
    this.loops.push(this.repeat(() => this.signIn()));
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

  /** Tokens of acknowledged sign-ins that are not valid. */
  async lostSessions(): Promise<string[]> {
    const lost: string[] = [];
    for (const token of this.acknowledged.sessions) {
      const { status } = await this.request(token, "GET", "/session");
      if (status !== 200) lost.push(`${status} ${token}`);
    }
    return lost;
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
    const post = () => this.request(from.token, "POST", "/events", { event }, headers);
    while ((await post()).status !== 201) await wait(100);
    this.acknowledged.pushes.push(text);
  }

  private async signIn(): Promise<void> {
    const { user } = this.signing;
    for (;;) {
      const { login, password } = user;
      const body = { ...signedParameters(this.signing), user: { login, password } };
      const { answer } = await this.request(undefined, "POST", "/session", body);
      if (answer?.session) {
        this.acknowledged.sessions.push(answer.session.token);
        return;
      }
      await wait(100);
    }
  }

  private async change(owner: Owner): Promise<void> {
    const user = { full_name: this.nextId() };
    const put = () => this.request(owner.token, "PUT", `/users/${owner.id}`, { user });
    while ((await put()).status !== 200) await wait(100);
  }

  private async graphql(
    query: string,
    variables: object,
    { token }: Owner,
  ): Promise<{ data: ServiceAnswer["data"] }> {
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
    token: string | undefined,
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; answer: ServiceAnswer | null }> {
    const url = (node: VersionNode) => `${node.baseUrl}${path}`;
    const { status, answer, times } = await this.send(method, url, token, body, headers);
    this.acknowledged.answers.push({ status, code: null, ...times });
    return { status, answer };
  }

  /** Sends a request to a random node; a connection that a node refuses or closes is made again, as a balancer does. */
  private async send(
    method: string,
    urlOf: (node: VersionNode) => string,
    token: string | undefined,
    body: object | undefined,
    headers: Record<string, string> = {},
  ) {
    for (;;) {
      const nodes = this.nodes();
      const node = nodes[Math.floor(Math.random() * nodes.length)]!;
      const sent = Date.now();
      try {
        const response = await fetch(urlOf(node), {
          method,
          headers: {
            ...credentialHeader(token),
            ...(body && { "Content-Type": "application/json" }),
            ...headers,
          },
          body: body && JSON.stringify(body),
        });
        const answer = (await response.json().catch(() => null)) as ServiceAnswer | null;
        return { status: response.status, answer, times: { sent, answered: Date.now() } };
      } catch {
        await wait(50);
      }
    }
  }
}
