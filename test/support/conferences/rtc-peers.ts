import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import type { RtcReport, RtcRequest } from "./rtc-host";

/** Clients without a browser that can renegotiate, in a process of their own. */

interface Reported {
  packets: Record<string, number>;
  feedback: number;
}

class RtcHost {
  private readonly child: ChildProcess;
  private readonly calls = new Map<number, (report: { result?: string; error?: string }) => void>();
  private readonly reports = new Map<number, Reported>();
  private next = 1;
  private endedBy: string | null = null;

  constructor() {
    this.child = fork(join(__dirname, "rtc-host.ts"), [], {
      execArgv: ["-r", join(__dirname, "../../../tools/run-typescript.js")],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.child.on("message", (report: RtcReport) => {
      if ("id" in report) this.reports.set(report.id, report);
      else this.calls.get(report.call)?.(report);
    });
    this.child.on("exit", (code, signal) => {
      this.endedBy = signal ?? `exit code ${code}`;
      for (const settle of this.calls.values()) settle({ error: this.ended() });
    });
  }

  /** The number of a new client. */
  add(method: "send" | "receive"): number {
    const id = this.next++;
    this.tell({ id, method });
    return id;
  }

  get running(): boolean {
    return this.endedBy === null && this.child.connected;
  }

  /** The last report of a client. Throws once the process has ended: nothing more will arrive. */
  reported(id: number): Reported {
    if (!this.running) throw new Error(this.ended());
    return this.reports.get(id) ?? { packets: {}, feedback: 0 };
  }

  tell(request: Omit<RtcRequest, "call">): void {
    if (this.child.connected) this.child.send({ ...request, call: 0 });
  }

  ask(request: Omit<RtcRequest, "call">): Promise<string> {
    const call = this.next++;
    return new Promise((resolve, reject) => {
      if (!this.running) throw new Error(this.ended());
      this.calls.set(call, ({ result, error }) => {
        this.calls.delete(call);
        if (result === undefined) reject(new Error(error ?? "no description"));
        else resolve(result);
      });
      this.child.send({ ...request, call });
    });
  }

  private ended(): string {
    return `the process of the clients has ended: ${this.endedBy ?? "its channel is closed"}`;
  }

  end(): void {
    this.child.kill("SIGKILL");
  }
}

let host: RtcHost | undefined;

/** The process of new clients: another one if the last has ended, so that its end fails one test alone. */
function currentHost(): RtcHost {
  if (!host?.running) host = new RtcHost();
  return host;
}

/** Ends the process of the clients. */
export function endPeers(): void {
  host?.end();
  host = undefined;
}

/** A client that sends audio (50 packets a second) and video (25). */
export class SendingPeer {
  private readonly host = currentHost();
  private readonly id = this.host.add("send");

  /** Number of payload-specific RTCP messages on video, such as requests of key frames (RFC 4585 section 6.1). */
  get feedback(): number {
    return this.host.reported(this.id).feedback;
  }

  offer(): Promise<string> {
    return this.host.ask({ id: this.id, method: "offer" });
  }

  accept(answer: string): void {
    this.host.tell({ id: this.id, method: "accept", sdp: answer });
  }

  close(): void {
    this.host.tell({ id: this.id, method: "close" });
  }
}

/** A client that receives. */
export class ReceivingPeer {
  private readonly host = currentHost();
  private readonly id = this.host.add("receive");

  /** Number of packets of a media section. */
  count(mid: string): number {
    return this.host.reported(this.id).packets[mid] ?? 0;
  }

  answer(offer: string): Promise<string> {
    return this.host.ask({ id: this.id, method: "answer", sdp: offer });
  }

  /** Starts with a new peer connection. */
  replace(): void {
    this.host.tell({ id: this.id, method: "replace" });
  }

  close(): void {
    this.host.tell({ id: this.id, method: "close" });
  }
}
