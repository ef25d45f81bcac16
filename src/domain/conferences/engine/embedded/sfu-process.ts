import { type ChildProcess, fork } from "node:child_process";
import { extname, join } from "node:path";
import { Fault } from "../../../../core/errors";
import type { Log } from "../../../../core/log";
import { inSpan } from "../../../../core/tracing";
import {
  type GatewayMessage,
  type MediaLiveness,
  type NetworkMessage,
  readSfuMessage,
  type SfuMessage,
} from "./ipc/messages";

/** Time between two pings, in milliseconds. */
const PING_MS = 450;
/**
 * Pings without any message of the process after which it hangs, at the next one: at most 2.7 s after its last message.
 */
const PINGS_MAX = 5;
/** Checks of the media in a row that fail before the process hangs: they are 450 ms apart, so about three seconds. */
const CHECKS_MAX = 6;
/** Time in which a process must start, in milliseconds. */
const START_MS = 30_000;
/** Time in which a request must be answered, in milliseconds. A process that hangs is ended earlier. */
const REQUEST_MS = 15_000;
/** Maximum number of requests that wait for an answer. */
const REQUESTS_MAX = 256;
/** Output on stderr of which the last part is logged when the process ends, in characters. */
const STDERR_CHARACTERS = 2_000;

type Request = Omit<GatewayMessage & { type: "request" }, "type" | "id">;

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

/** The program of the process, compiled or not, as this file is. */
const PROGRAM = join(__dirname, `sfu/main${extname(__filename)}`);

/** One run of the SFU's process: requests, events, and its end, which is noticed also when it hangs. */
export class SfuProcess {
  /** Its statistics, by the last ping. */
  usage = { rooms: 0, peers: 0, tracks: 0 };
  /** Resolves once it takes requests; rejects if it ends before. */
  readonly started: Promise<void>;
  readonly pid: number | undefined;
  private readonly child: ChildProcess;
  private readonly pending = new Map<number, Pending>();
  private readonly exited: Promise<void>;
  private nextId = 1;
  private unanswered = 0;
  private errors = "";
  private reason: string | null = null;
  private ended = false;

  /**
   * @param events `event` for each event, and `end` once when the process has ended, for whatever reason
   */
  constructor(
    network: NetworkMessage,
    log: Log,
    private readonly events: {
      event(event: (SfuMessage & { type: "event" })["event"]): void;
      end(reason: string): void;
    },
  ) {
    this.child = fork(PROGRAM, [], {
      // A loader of TypeScript, for instance.
      execArgv: process.execArgv,
      // Variables hold secrets.
      env: {},
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    this.pid = this.child.pid;
    const starting = setTimeout(() => this.kill("did not start in time"), START_MS);
    let pings: NodeJS.Timeout | undefined;
    let start: { resolve(): void; reject(error: Error): void };
    this.started = new Promise((resolve, reject) => {
      start = { resolve, reject };
    });
    this.started.catch(() => {});
    this.exited = new Promise((resolve) => {
      const finish = (reason: string) => {
        if (this.ended) return;
        this.ended = true;
        clearTimeout(starting);
        clearInterval(pings);
        if (this.errors !== "") log.warn({ output: this.errors }, "The media server wrote errors");
        const fault = engineUnavailable();
        start.reject(fault);
        for (const [id] of this.pending) this.settle(id, ({ reject }) => reject(fault));
        resolve();
        this.events.end(this.reason ?? reason);
      };
      this.child.once("exit", (code, signal) => finish(`ended with ${signal ?? `code ${code}`}`));
      this.child.once("error", (error) => {
        this.kill(error.message);
        if (this.pid === undefined) finish(error.message);
      });
    });
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.errors = `${this.errors}${text}`.slice(-STDERR_CHARACTERS);
    });
    this.child.on("message", (value) => {
      this.unanswered = 0;
      const message = readSfuMessage(value);
      if (!message) this.kill("sent a message that it should not");
      else if (message.type === "started") {
        clearTimeout(starting);
        pings ??= setInterval(() => this.ping(), PING_MS);
        start.resolve();
      } else this.receive(message);
    });
    this.send({ type: "start", network });
  }

  /** Sends a request. @throws Fault of the method, UNAVAILABLE if the process does not answer */
  request(request: Request): Promise<unknown> {
    return inSpan(`media ${request.method}`, "client", {}, () => this.sendRequest(request));
  }

  private sendRequest(request: Request): Promise<unknown> {
    if (this.ended || this.pending.size >= REQUESTS_MAX) return Promise.reject(engineUnavailable());
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => this.settle(id, ({ reject }) => reject(engineUnavailable())),
        REQUEST_MS,
      );
      this.pending.set(id, { resolve, reject, timer });
      this.send({ type: "request", id, ...request });
    });
  }

  /** Ends the process at once. */
  kill(reason: string): void {
    this.reason ??= reason;
    this.child.kill("SIGKILL");
  }

  /** Resolves when the process has ended. */
  end(): Promise<void> {
    this.kill("ended by the gateway");
    return this.exited;
  }

  private ping(): void {
    if (this.unanswered >= PINGS_MAX) {
      this.kill("did not answer any more");
      return;
    }
    // Counted by pings rather than by the clock: while the gateway itself was busy, answers may be waiting.
    this.unanswered += 1;
    this.send({ type: "ping" });
  }

  private receive(message: SfuMessage): void {
    if (message.type === "pong") {
      this.usage = message.usage;
      this.checkMedia(message.media);
    } else if (message.type === "event") this.events.event(message.event);
    else if (message.type === "result") {
      this.settle(message.id, ({ resolve }) => resolve(message.result));
    } else if (message.type === "fault") {
      const { code, message: text, fields } = message.fault;
      const retryAfter = code === "UNAVAILABLE" ? 1 : undefined;
      this.settle(message.id, ({ reject }) => reject(new Fault(code, text, fields, retryAfter)));
    }
  }

  /** The process answers, but its library may not: packets of one participant can keep its threads busy forever. */
  private checkMedia({ missing, stuck }: MediaLiveness): void {
    if (missing > CHECKS_MAX) this.kill("forwarded no media any more");
    else if (stuck > CHECKS_MAX) this.kill("had a thread that did not end its work");
  }

  private settle(id: number, act: (pending: Pending) => void): void {
    const pending = this.pending.get(id);
    if (!pending) return;
    this.pending.delete(id);
    clearTimeout(pending.timer);
    act(pending);
  }

  private send(message: GatewayMessage): void {
    // A failure is followed by the end of the process.
    if (this.child.connected) this.child.send(message, () => {});
  }
}

/** The fault of every method while the process does not answer. */
export function engineUnavailable(): Fault {
  return new Fault("UNAVAILABLE", "The media server does not answer; try again", undefined, 1);
}
