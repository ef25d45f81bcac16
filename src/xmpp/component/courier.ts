import type { Bus } from "../../bus/bus";
import { Fault } from "../../core/errors";
import type { Log } from "../../core/log";
import { newId } from "../../core/random";
import type { Outbox } from "./outbox";
import type { Seen } from "./seen";

/** Milliseconds within which a signal is passed on, or its sender is told that it was not. */
const PASS_MS = 5_000;
/** Signals that wait to be passed on at most, and their characters; one may always wait. */
const WAITING = 1_000;
const WAITING_SIZE = 8_388_608;

const CHANNEL = "chat-link";

/** What nodes tell each other: an offer to all, an outcome to the node that made the offer. */
type Notice =
  | { kind: "up"; node: string }
  | { kind: "down"; node: string }
  | { kind: "offer"; node: string; id: string; attempt: number; xml: string }
  | { kind: "answer"; id: string }
  | { kind: "outcome"; id: string; attempt: number; passed: boolean };

/** A stanza of this node that has not reached the chat server yet. */
interface Parcel {
  id: string;
  xml: string;
  /** Counted up when it has to be offered anew. */
  attempt: number;
  offered: boolean;
  /** Whether it is on its way over this node's own link. */
  written: boolean;
  settle(passed: boolean): void;
}

/** What a courier stands on. */
export interface CourierParts {
  /** This node's own id, without a dot. */
  node: string;
  bus: Bus;
  log: Log;
  outbox: Outbox;
  seen: Seen;
  /** Whether this node's own link is up. */
  isUp(): boolean;
  /** Called when another node's link went: where the chat server takes one, it is free. */
  onFree(): void;
  /** Called when the chat server can be reached again, over this node's link or another's. */
  onReach(): void;
  /** Milliseconds within which a stanza is passed on. */
  passMs?: number;
}

/**
 * Brings stanzas to the chat server: over this node's link, or, while it has none (Prosody takes one
 * node at a time), over that of another node, which is the first to claim the offer. What is under way
 * on a link that goes is tried again until its time is over.
 */
export class Courier {
  readonly #node: string;
  readonly #parcels = new Map<string, Parcel>();
  /** Signals among them, and their characters. */
  #signals = 0;
  #size = 0;
  #leave: (() => Promise<void>)[] = [];

  constructor(private readonly parts: CourierParts) {
    this.#node = parts.node;
  }

  /** Listens to the other nodes. */
  async open(): Promise<void> {
    const { bus } = this.parts;
    const hear = (message: string) => this.#hear(message);
    this.#leave = await Promise.all([
      bus.subscribe(CHANNEL, hear),
      bus.subscribe(`${CHANNEL}:${this.#node}`, hear),
    ]);
  }

  /**
   * Brings a signal to the chat server; resolves once it was taken there.
   * @throws Fault UNAVAILABLE when that does not happen in time, or too many wait for it
   */
  async pass(xml: string): Promise<void> {
    const size = this.#size + xml.length;
    if (this.#signals >= WAITING || (this.#signals > 0 && size > WAITING_SIZE)) throw away();
    this.#signals += 1;
    this.#size = size;
    try {
      await this.passAside(xml);
    } finally {
      this.#signals -= 1;
      this.#size -= xml.length;
    }
  }

  /**
   * Brings something else to the chat server, which takes no signal's place; the caller bounds how much.
   * @throws Fault UNAVAILABLE when that does not happen in time
   */
  passAside(xml: string): Promise<void> {
    const id = newId();
    return new Promise((resolve, reject) => {
      const settle = (passed: boolean) => {
        if (!this.#parcels.delete(id)) return;
        clearTimeout(timer);
        if (passed) resolve();
        else reject(away());
      };
      const timer = setTimeout(() => settle(false), this.parts.passMs ?? PASS_MS);
      const parcel = { id, xml, attempt: 0, offered: false, written: false, settle };
      this.#parcels.set(id, parcel);
      this.#forward(parcel);
    });
  }

  /** This node's link is up: takes what waits here, and asks for what waits elsewhere. */
  linked(): void {
    for (const parcel of this.#parcels.values()) this.#forward(parcel);
    this.#tell(CHANNEL, { kind: "up", node: this.#node });
    this.parts.onReach();
  }

  /**
   * An answer of the chat server: to a ping of this node, or to that of another, since ejabberd spreads
   * what it sends to the component over all nodes that are attached.
   */
  answered(id: string): void {
    const [node = "", own] = id.split(".");
    if (own === undefined || this.parts.outbox.answered(id) || node === this.#node) return;
    this.#tell(`${CHANNEL}:${node}`, { kind: "answer", id });
  }

  /** This node's link is down. */
  unlinked(): void {
    this.#tell(CHANNEL, { kind: "down", node: this.#node });
  }

  /** Stops listening; what still waits has failed. */
  async close(): Promise<void> {
    for (const parcel of [...this.#parcels.values()]) parcel.settle(false);
    for (const leave of this.#leave) await leave();
  }

  #forward(parcel: Parcel): void {
    if (!this.parts.isUp()) this.#offer(parcel);
    else if (!parcel.written) void this.#write(parcel);
  }

  #offer(parcel: Parcel): void {
    parcel.offered = true;
    const { id, attempt, xml } = parcel;
    this.#tell(CHANNEL, { kind: "offer", node: this.#node, id, attempt, xml });
  }

  async #write(parcel: Parcel): Promise<void> {
    const { outbox, seen } = this.parts;
    parcel.written = true;
    try {
      // Another node may have it in hand; then its word is waited for.
      if (parcel.offered && !(await seen.claim(offerOf(parcel)))) {
        parcel.written = false;
        return;
      }
      await outbox.send(parcel.xml);
      parcel.settle(true);
    } catch {
      parcel.written = false;
      this.#again(parcel);
    }
  }

  /** It did not arrive, for all that is known. */
  #again(parcel: Parcel): void {
    if (!this.#parcels.has(parcel.id)) return;
    parcel.attempt += 1;
    this.#forward(parcel);
  }

  #hear(message: string) {
    // After an absence of the bus offers may have been missed.
    const notice = message === "" ? null : (JSON.parse(message) as Notice);
    if (notice === null) return this.#offerAll();
    if (notice.kind === "answer") return void this.parts.outbox.answered(notice.id);
    if (notice.kind === "outcome") return this.#outcome(notice);
    if (notice.node === this.#node) return;
    if (notice.kind === "up") {
      this.#offerAll();
      this.parts.onReach();
    } else if (notice.kind === "down") this.parts.onFree();
    else if (this.parts.isUp()) void this.#carry(notice);
  }

  #offerAll(): void {
    if (this.parts.isUp()) return;
    for (const parcel of this.#parcels.values()) this.#offer(parcel);
  }

  #outcome({ id, attempt, passed }: Notice & { kind: "outcome" }): void {
    const parcel = this.#parcels.get(id);
    if (passed) parcel?.settle(true);
    else if (parcel?.attempt === attempt) this.#again(parcel);
  }

  /** Carries another node's stanza. */
  async #carry(offer: Notice & { kind: "offer" }): Promise<void> {
    const { outbox, seen } = this.parts;
    const { id, attempt, xml, node } = offer;
    let passed = true;
    try {
      if (!(await seen.claim(offerOf(offer)))) return;
      await outbox.send(xml);
    } catch {
      passed = false;
    }
    this.#tell(`${CHANNEL}:${node}`, { kind: "outcome", id, attempt, passed });
  }

  #tell(channel: string, notice: Notice): void {
    this.parts.bus.publish(channel, JSON.stringify(notice)).catch((error: unknown) => {
      // Whoever waits for it is told when the time is over.
      this.parts.log.debug({ err: error }, "other nodes could not be told of the chat link");
    });
  }
}

const offerOf = ({ id, attempt }: { id: string; attempt: number }) => `${id} ${attempt}`;

function away(): Fault {
  return new Fault("UNAVAILABLE", "The chat server cannot be reached", undefined, 2);
}
