import { type ChildProcess, fork } from "node:child_process";
import { extname, join } from "node:path";
import type { TrackReport } from "./synthetic-media";

/** What a synthetic publisher sends. */
export interface SyntheticMedia {
  /** Number in every packet, by which watchers tell publishers apart. */
  sender: number;
  /** Video in kbit/s; 0 sends none. */
  kbits?: number;
  fps?: number;
  /** Packets of audio per second, 50 by default; 0 sends none. */
  audio?: number;
  /** Whether to offer a data channel as well, as legacy clients do. */
  data?: boolean;
}

/** What a synthetic publisher has seen. */
export interface PublisherReport {
  state: string;
  /** Video frames that it has sent. */
  frames: number;
  keyFrameRequests: number;
  /** The bitrate that the engine allows it, in bits per second. */
  bitrate: number;
  /** Receiver reports. */
  lossReports: number;
}

/** What a synthetic watcher has received. */
export interface WatcherReport {
  state: string;
  tracks: TrackReport[];
}

/** A message to the process of the peers. */
export type HostRequest =
  | ({ type: "publish"; id: number } & Required<SyntheticMedia>)
  | { type: "watch"; id: number; offer: string }
  | { type: "renegotiate"; id: number; offer: string }
  | { type: "connect"; id: number }
  | { type: "accept"; id: number; answer: string }
  | { type: "report"; id: number }
  | { type: "estimate"; id: number; mid: string; ssrc: number; bitsPerSecond: number }
  | { type: "reports"; id: number }
  | { type: "repair"; id: number }
  | { type: "flood"; id: number; perSecond: number }
  | { type: "packets"; id: number; mid: string; packets: string[] }
  | { type: "close"; id: number };

/** A publishing client. */
export interface SyntheticPublisher {
  offer: string;
  accept(answer: string): Promise<void>;
  report(): Promise<PublisherReport>;
  /** Sends packets of RTP or RTCP as they are, in a media section: 0 is audio, 1 video. */
  packets(mid: string, packets: readonly Buffer[]): Promise<void>;
  close(): Promise<void>;
}

/** A watching client. */
export interface SyntheticWatcher {
  answer: string;
  /**
   * Connects, once the engine has the answer. The embedded one ignores checks before, and libdatachannel repeats a check
   * after half a second only (browsers do after some 50 ms).
   */
  connect(): Promise<void>;
  /** Takes another offer of the same connection. @returns the answer */
  renegotiate(offer: string): Promise<string>;
  report(): Promise<WatcherReport>;
  /** Claims that the client can receive only so much, in bits per second (REMB). */
  estimate(mid: string, ssrc: number, bitsPerSecond: number): Promise<void>;
  /** Sends receiver reports from now on, as browsers do. */
  sendReports(): Promise<void>;
  /** Requests lost packets of video from now on (NACK, RFC 4585 section 6.2.1), as browsers do. */
  repair(): Promise<void>;
  /** Requests the last 255 packets of each video from now on, so many times per second; 0 stops it. */
  flood(perSecond: number): Promise<void>;
  /** Sends packets of RTCP as they are, in a media section. */
  packets(mid: string, packets: readonly Buffer[]): Promise<void>;
  close(): Promise<void>;
}

/** How the clients of a process behave. */
export interface SyntheticOptions {
  /** The address of the clients; all addresses of the host without one, which Janus needs. */
  bindAddress?: string;
  /** Whether watchers ask for a key frame by themselves, as browsers do. */
  eager?: boolean;
}

/** The program of the process, compiled or not, as this file is. */
const extension = extname(__filename);
const PROGRAM = join(__dirname, `synthetic-host${extension}`);
const LOADER = extension === ".ts" ? ["-r", join(__dirname, "../run-typescript.js")] : [];

/** Clients without a browser, all in one process of their own. */
export class SyntheticPeers {
  private readonly child: ChildProcess;
  private readonly calls = new Map<number, (value: { result?: unknown; error?: string }) => void>();
  private readonly exited: Promise<void>;
  private next = 1;

  constructor(options: SyntheticOptions = { bindAddress: "127.0.0.1" }) {
    this.child = fork(PROGRAM, [JSON.stringify(options)], {
      execArgv: LOADER,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.exited = new Promise((resolve) => {
      this.child.once("exit", () => {
        for (const settle of this.calls.values()) settle({ error: "the clients have ended" });
        resolve();
      });
    });
    this.child.on("message", (message: { call: number; result?: unknown; error?: string }) => {
      this.calls.get(message.call)?.(message);
      this.calls.delete(message.call);
    });
  }

  async publish(media: SyntheticMedia): Promise<SyntheticPublisher> {
    const id = this.next++;
    const all = { kbits: 300, fps: 20, audio: 50, data: false, ...media };
    const offer = (await this.request({ type: "publish", id, ...all })) as string;
    return {
      offer,
      accept: async (answer) => void (await this.request({ type: "accept", id, answer })),
      report: async () => (await this.request({ type: "report", id })) as PublisherReport,
      packets: (mid, packets) => this.packets(id, mid, packets),
      close: async () => void (await this.request({ type: "close", id })),
    };
  }

  async watch(offer: string): Promise<SyntheticWatcher> {
    const id = this.next++;
    const answer = (await this.request({ type: "watch", id, offer })) as string;
    return {
      answer,
      connect: async () => void (await this.request({ type: "connect", id })),
      renegotiate: async (next) =>
        (await this.request({ type: "renegotiate", id, offer: next })) as string,
      report: async () => (await this.request({ type: "report", id })) as WatcherReport,
      estimate: async (mid, ssrc, bitsPerSecond) =>
        void (await this.request({ type: "estimate", id, mid, ssrc, bitsPerSecond })),
      sendReports: async () => void (await this.request({ type: "reports", id })),
      repair: async () => void (await this.request({ type: "repair", id })),
      packets: (mid, packets) => this.packets(id, mid, packets),
      flood: async (perSecond) => void (await this.request({ type: "flood", id, perSecond })),
      close: async () => void (await this.request({ type: "close", id })),
    };
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  async close(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.exited;
  }

  private async packets(id: number, mid: string, packets: readonly Buffer[]): Promise<void> {
    const encoded = packets.map((packet) => packet.toString("base64"));
    await this.request({ type: "packets", id, mid, packets: encoded });
  }

  private request(request: HostRequest): Promise<unknown> {
    const call = this.next++;
    return new Promise((resolve, reject) => {
      this.calls.set(call, ({ result, error }) =>
        error === undefined ? resolve(result) : reject(new Error(error)),
      );
      this.child.send({ call, request });
    });
  }
}
