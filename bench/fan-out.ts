import type { WebSocket } from "ws";
import type { Outcome } from "./driver";
import { bareWire, serviceWire, type Wire } from "./fan-out-wire";
import { percentile } from "./percentile";

/** One sender who calls a user of many devices. */
export interface FanOutJob {
  kind: "fan-out";
  /** Address of the WebSocket. */
  url: string;
  /** Whether the server is the floor's, which passes on what it is told. */
  bare: boolean;
  /** Signals under way at once; 0 for one every 50 ms, whose way is timed. */
  window: number;
  seconds: number;
  /** Tokens of the user's devices, and of the sender. */
  receivers: string[];
  sender: string;
  /** The user who is called. */
  userId: number;
}

/** Milliseconds between two signals where their way is timed. */
const PACE_MS = 50;
/** Signals that try to reach every receiver before the window, at most. */
const PROBES = 20;
/** Milliseconds for one of them, and for what is still under way after the window. */
const PATIENCE_MS = 2_000;

/**
 * Sends signals to the devices and counts what reaches them.
 * @throws Error when a socket closes, a signal is refused, or a delivery is missing at the end
 */
export async function runFanOut(job: FanOutJob): Promise<Outcome> {
  const wire = job.bare ? bareWire(job.url) : serviceWire(job.url, job.userId);
  const receivers = await Promise.all(job.receivers.map((token) => wire.receive(token)));
  const sender = await wire.send(job.sender);
  const fanOut = new FanOut(wire, sender, receivers);
  try {
    await fanOut.reachAll();
    return await fanOut.run(job.window, job.seconds);
  } finally {
    fanOut.close();
  }
}

class FanOut {
  private sent = 0;
  private count = 0;
  private failure: Error | null = null;
  private onMessage: (data: Buffer, receiver: WebSocket) => void = () => undefined;

  constructor(
    private readonly wire: Wire,
    private readonly sender: WebSocket,
    private readonly receivers: WebSocket[],
  ) {
    const fail = (code: number) => {
      this.failure = new Error(`a socket was closed with ${code}`);
    };
    for (const receiver of receivers) {
      receiver.on("message", (data: Buffer) => this.onMessage(data, receiver));
      receiver.once("close", fail);
    }
    sender.once("close", fail);
    sender.on("message", (data: Buffer) => {
      const answer = data.toString();
      if (wire.refuses(answer)) this.failure = new Error(`a signal was refused: ${answer}`);
    });
  }

  /** Resolves once a signal has reached every receiver, and none is under way. */
  async reachAll(): Promise<void> {
    for (let attempt = 1; attempt <= PROBES; attempt++) {
      const missing = new Set(this.receivers);
      const session = `probe-${attempt}-`;
      this.onMessage = (data, receiver) => {
        if (data.includes(session)) missing.delete(receiver);
      };
      this.sender.send(this.wire.signal(session));
      await until(() => missing.size === 0 || this.failure !== null);
      this.throwFailure();
      if (missing.size === 0) return;
    }
    throw new Error("no signal reached every receiver");
  }

  /** Keeps that many signals under way, or sends them at a pace, for as long as the window lasts. */
  async run(window: number, seconds: number): Promise<Outcome> {
    return window === 0 ? this.pace(seconds) : this.flood(window, seconds);
  }

  close(): void {
    for (const socket of [...this.receivers, this.sender]) socket.terminate();
  }

  private async flood(window: number, seconds: number): Promise<Outcome> {
    const { length } = this.receivers;
    let open = true;
    this.onMessage = () => {
      this.count++;
      if (open && this.count % length === 0) this.signal();
    };
    const begun = performance.now();
    for (let n = 0; n < window; n++) this.signal();
    await pause(seconds * 1000);
    open = false;
    const outcome = { count: this.count, seconds: (performance.now() - begun) / 1000 };
    await this.settle();
    return { ...outcome, p50: Number.NaN, p99: Number.NaN };
  }

  private async pace(seconds: number): Promise<Outcome> {
    const times: number[] = [];
    const sentAt = new Map<string, number>();
    this.onMessage = (data) => {
      this.count++;
      const session = /bench-\d+/.exec(data.toString("latin1"))?.[0] ?? "";
      times.push(performance.now() - (sentAt.get(session) ?? Number.NaN));
    };
    for (let n = 0; n < (seconds * 1000) / PACE_MS; n++) {
      const now = performance.now();
      sentAt.set(this.signal(), now);
      await pause(PACE_MS);
    }
    await this.settle();
    const { count } = this;
    return { count, seconds, p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
  }

  private signal(): string {
    const session = `bench-${++this.sent}`;
    this.sender.send(this.wire.signal(session));
    return session;
  }

  /** Waits for what is under way. */
  private async settle(): Promise<void> {
    const due = () => this.sent * this.receivers.length;
    await until(() => this.count >= due());
    this.throwFailure();
    if (this.count !== due()) throw new Error(`${this.count} of ${due()} deliveries arrived`);
  }

  private throwFailure(): void {
    if (this.failure) throw this.failure;
  }
}

/** Waits for a condition, but not for ever: whoever calls looks again. */
async function until(condition: () => boolean): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!condition() && performance.now() < end) await pause(5);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
