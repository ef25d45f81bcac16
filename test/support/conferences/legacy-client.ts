import type { Frame } from "../../../src/transports/janus-endpoint/protocol/frames";
import { sdpOf } from "./fake-conference-service";
import type { LegacyMessage, LegacyTransport, OpenTransport } from "./legacy-transports";

/** The data of an event of the room. */
export type RoomData = Record<string, unknown>;

/** A refusal, as the library passes it on: `"432 Maximum …"`. */
export class LegacyError extends Error {}

let transactions = 0;

/**
 * A client of the Janus protocol that sends what legacy conference clients send, and keeps what they keep: the people
 * that it shows, by number.
 */
export class LegacyClient {
  sessionId = 0;
  /** The publisher's handle. */
  handle = 0;
  /** The handle of each feed. */
  readonly listeners = new Map<number, number>();
  /** Everything that was no reply, in order. */
  readonly received: Frame[] = [];
  /** The people that the client shows. */
  readonly shown = new Map<number, string>();
  /** People that were announced while they were shown: the library shows them twice. */
  readonly twice: number[] = [];
  private readonly waiting = new Set<() => void>();
  private readonly seen = new Set<Frame>();
  private transport!: LegacyTransport;

  private constructor(readonly token: string) {}

  static async connect(open: OpenTransport, url: string, token: string): Promise<LegacyClient> {
    const client = new LegacyClient(token);
    client.transport = await open(url, token, (frame) => client.take(frame));
    return client;
  }

  /** Connects and creates a session. */
  static async open(open: OpenTransport, url: string, token: string): Promise<LegacyClient> {
    const client = await LegacyClient.connect(open, url, token);
    await client.create();
    return client;
  }

  get lost(): Promise<number> {
    return this.transport.lost;
  }

  drop(): void {
    this.transport.drop();
  }

  /** Stops to answer pings. */
  freeze(): void {
    this.transport.freeze();
  }

  /** Sends a message with the token, and returns the reply. */
  send(message: LegacyMessage): Promise<Frame> {
    const transaction = `t${++transactions}`;
    return this.transport.request({ transaction, token: this.token, ...message });
  }

  /** Sends a message as it is, and returns the next message whatever it answers. */
  unmatched(message: LegacyMessage): Promise<Frame> {
    return this.transport.unmatched(message);
  }

  /** Sends a message of the session. */
  request(janus: string, fields: LegacyMessage = {}): Promise<Frame> {
    return this.send({ janus, session_id: this.sessionId, ...fields });
  }

  /** Sends a message of a handle to the room. */
  message(handle: number, body: unknown, jsep?: unknown): Promise<Frame> {
    return this.request("message", { handle_id: handle, body, ...(jsep ? { jsep } : {}) });
  }

  async create(): Promise<Frame> {
    const reply = orThrow(await this.send({ janus: "create" }));
    this.sessionId = reply.data?.id as number;
    this.transport.sessionCreated(this.sessionId);
    return reply;
  }

  async attach(): Promise<number> {
    const reply = await this.request("attach", { plugin: "janus.plugin.videoroom" });
    return orThrow(reply).data?.id as number;
  }

  /** Joins a room as a publisher. @returns the data of `joined` */
  async join(room: string | number, id?: number, display = "ignored"): Promise<RoomData> {
    this.handle = await this.attach();
    const body = { request: "join", room, ptype: "publisher", id, display };
    orThrow(await this.message(this.handle, body));
    const joined = await this.event(this.handle, (data) => data.videoroom === "joined");
    return joined.plugindata?.data ?? {};
  }

  /** Publishes. @returns the answer */
  async publish(sdp = sdpOf("offer")): Promise<string> {
    const body = { request: "configure", audio: true, video: true };
    orThrow(await this.message(this.handle, body, { type: "offer", sdp }));
    const event = await this.event(this.handle, (data) => data.configured === "ok");
    return event.jsep?.sdp ?? "";
  }

  /** Joins and publishes. */
  async enter(room: string | number): Promise<RoomData> {
    const joined = await this.join(room);
    await this.publish();
    return joined;
  }

  /** Joins as a listener of a feed. @returns the event with the offer */
  async listen(room: string | number, feed: number, ptype = "listener"): Promise<Frame> {
    const handle = await this.attach();
    const body = { request: "join", room, ptype, feed, display: "ignored" };
    orThrow(await this.message(handle, body));
    this.listeners.set(feed, handle);
    return this.event(handle, (data) => data.videoroom === "attached");
  }

  /** Answers the offer of a feed. */
  async start(room: string | number, feed: number, sdp = sdpOf("answer")): Promise<Frame> {
    const handle = this.listeners.get(feed) ?? 0;
    orThrow(await this.message(handle, { request: "start", room }, { type: "answer", sdp }));
    return this.event(handle, (data) => data.started === "ok");
  }

  trickle(handle: number, candidate: unknown): Promise<Frame> {
    return this.request("trickle", { handle_id: handle, candidate });
  }

  async participants(room: string | number): Promise<RoomData[]> {
    const reply = orThrow(await this.message(this.handle, { request: "listparticipants", room }));
    return (reply.plugindata?.data.participants ?? []) as RoomData[];
  }

  async leave(): Promise<Frame> {
    orThrow(await this.message(this.handle, { request: "leave", room: null }));
    return this.event(this.handle, (data) => data.leaving === "ok");
  }

  destroy(): Promise<Frame> {
    return this.request("destroy");
  }

  /** The first event of a handle that was not returned yet and matches. Has no timeout other than jest's. */
  event(handle: number, matches: (data: RoomData) => boolean): Promise<Frame> {
    return this.frame(
      ({ janus, sender, plugindata }) =>
        janus === "event" && sender === handle && matches(plugindata?.data ?? {}),
    );
  }

  /** The data of the first event of the publisher's handle with this key. */
  async roomEvent(key: string): Promise<RoomData> {
    const frame = await this.event(this.handle, (data) => key in data);
    return frame.plugindata?.data ?? {};
  }

  /** The first message that was not returned yet and matches. */
  async frame(matches: (frame: Frame) => boolean): Promise<Frame> {
    for (;;) {
      const found = this.received.find((frame) => !this.seen.has(frame) && matches(frame));
      if (found) {
        this.seen.add(found);
        return found;
      }
      await new Promise<void>((resolve) => this.waiting.add(resolve));
    }
  }

  /** Waits until the client shows exactly these people. */
  async shows(...numbers: number[]): Promise<void> {
    const wanted = JSON.stringify([...numbers].sort());
    while (JSON.stringify([...this.shown.keys()].sort()) !== wanted) {
      await new Promise<void>((resolve) => this.waiting.add(resolve));
    }
  }

  private take(frame: Frame): void {
    this.received.push(frame);
    if (frame.sender === this.handle || this.handle === 0) this.show(frame.plugindata?.data ?? {});
    for (const resume of this.waiting) resume();
    this.waiting.clear();
  }

  /** As the library: by the numbers, compared strictly. */
  private show({ publishers, leaving, unpublished }: RoomData): void {
    for (const { id, display } of (publishers ?? []) as Array<{ id: number; display: string }>) {
      if (this.shown.has(id)) this.twice.push(id);
      this.shown.set(id, display);
    }
    for (const gone of [leaving, unpublished]) {
      if (typeof gone === "number") this.shown.delete(gone);
    }
  }
}

function orThrow(reply: Frame): Frame {
  if (reply.error) throw new LegacyError(`${reply.error.code} ${reply.error.reason}`);
  return reply;
}
