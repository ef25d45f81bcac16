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

  constructor() {
    this.child = fork(join(__dirname, "rtc-host.ts"), [], {
      execArgv: ["-r", join(__dirname, "../../../tools/run-typescript.js")],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.child.on("message", (report: RtcReport) => {
      if ("id" in report) this.reports.set(report.id, report);
      else this.calls.get(report.call)?.(report);
    });
    this.child.on("exit", () => {
      for (const settle of this.calls.values()) settle({ error: "the clients have ended" });
    });
  }

  /** The number of a new client. */
  add(method: "send" | "receive"): number {
    const id = this.next++;
    this.tell({ id, method });
    return id;
  }

  /** The last report of a client. */
  reported(id: number): Reported {
    return this.reports.get(id) ?? { packets: {}, feedback: 0 };
  }

  tell(request: Omit<RtcRequest, "call">): void {
    if (this.child.connected) this.child.send({ ...request, call: 0 });
  }

  ask(request: Omit<RtcRequest, "call">): Promise<string> {
    const call = this.next++;
    return new Promise((resolve, reject) => {
      this.calls.set(call, ({ result, error }) => {
        this.calls.delete(call);
        if (result === undefined) reject(new Error(error ?? "no description"));
        else resolve(result);
      });
      this.child.send({ ...request, call });
    });
  }

  end(): void {
    this.child.kill("SIGKILL");
  }
}

let host: RtcHost | undefined;
const running = (): RtcHost => {
  host ??= new RtcHost();
  return host;
};

/** Ends the process of the clients. */
export function endPeers(): void {
  host?.end();
  host = undefined;
}

/** A client that sends audio (50 packets a second) and video (25). */
export class SendingPeer {
  private readonly id = running().add("send");

  /** Number of payload-specific RTCP messages on video, such as requests of key frames (RFC 4585 section 6.1). */
  get feedback(): number {
    return running().reported(this.id).feedback;
  }

  offer(): Promise<string> {
    return running().ask({ id: this.id, method: "offer" });
  }

  accept(answer: string): void {
    running().tell({ id: this.id, method: "accept", sdp: answer });
  }

  close(): void {
    running().tell({ id: this.id, method: "close" });
  }
}

/** A client that receives. */
export class ReceivingPeer {
  private readonly id = running().add("receive");

  /** Number of packets of a media section. */
  count(mid: string): number {
    return running().reported(this.id).packets[mid] ?? 0;
  }

  answer(offer: string): Promise<string> {
    return running().ask({ id: this.id, method: "answer", sdp: offer });
  }

  /** Starts with a new peer connection. */
  replace(): void {
    running().tell({ id: this.id, method: "replace" });
  }

  close(): void {
    running().tell({ id: this.id, method: "close" });
  }
}
