import type { WebSocket } from "ws";
import { bareWire, type FanOutProtocol, serviceWire } from "./fan-out-wire";
import type { LoadResult } from "./load-result";
import { percentile } from "./percentile";

/** One sender signals a user with many devices. */
export interface FanOutBenchmark {
  kind: "fan-out";
  /** URL of the WebSocket. */
  url: string;
  /** Whether the server is the baseline, which forwards messages unchanged. */
  bare: boolean;
  /** Number of signals in flight; 0 for one signal every 50 ms with measured latency. */
  window: number;
  seconds: number;
  /** Session tokens of the user's devices. */
  receivers: string[];
  /** Session token of the sender. */
  sender: string;
  /** The recipient of the signals. */
  userId: number;
}

/** Interval between two signals when latency is measured, in milliseconds. */
const PACE_MS = 50;
/** Maximum number of probe signals before the window. */
const PROBES = 20;
/** Timeout of a probe, and of signals still in flight after the window, in milliseconds. */
const TIMEOUT_MS = 2_000;

/**
 * Sends signals to the devices and counts the deliveries.
 * @throws Error if a socket closes, a signal is rejected, or a delivery is missing at the end
 */
export async function runFanOut(job: FanOutBenchmark): Promise<LoadResult> {
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
    private readonly wire: FanOutProtocol,
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
      if (wire.refuses(answer)) this.failure = new Error(`a signal was rejected: ${answer}`);
    });
  }

  /** Resolves once a signal has reached every receiver and none is in flight. */
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

  /** Keeps `window` signals in flight for the given time; if it is 0, sends signals at a fixed interval. */
  async run(window: number, seconds: number): Promise<LoadResult> {
    return window === 0 ? this.runPaced(seconds) : this.runWindow(window, seconds);
  }

  close(): void {
    for (const socket of [...this.receivers, this.sender]) socket.terminate();
  }

  private async runWindow(window: number, seconds: number): Promise<LoadResult> {
    const { length } = this.receivers;
    let open = true;
    this.onMessage = () => {
      this.count++;
      if (open && this.count % length === 0) this.signal();
    };
    const startedAt = performance.now();
    for (let n = 0; n < window; n++) this.signal();
    await pause(seconds * 1000);
    open = false;
    const outcome = { count: this.count, seconds: (performance.now() - startedAt) / 1000 };
    await this.whenDelivered();
    return { ...outcome, p50: Number.NaN, p99: Number.NaN };
  }

  private async runPaced(seconds: number): Promise<LoadResult> {
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
    await this.whenDelivered();
    const { count } = this;
    return { count, seconds, p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
  }

  private signal(): string {
    const session = `bench-${++this.sent}`;
    this.sender.send(this.wire.signal(session));
    return session;
  }

  /** Waits for the signals in flight. @throws Error if a delivery is missing */
  private async whenDelivered(): Promise<void> {
    const expected = () => this.sent * this.receivers.length;
    await until(() => this.count >= expected());
    this.throwFailure();
    if (this.count !== expected()) {
      throw new Error(`${this.count} of ${expected()} deliveries arrived`);
    }
  }

  private throwFailure(): void {
    if (this.failure) throw this.failure;
  }
}

/** Waits for a condition or the timeout; the caller checks the condition again. */
async function until(condition: () => boolean): Promise<void> {
  const end = performance.now() + TIMEOUT_MS;
  while (!condition() && performance.now() < end) await pause(5);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
