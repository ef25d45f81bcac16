import { type CallSignal, type CallSignalling, Calls } from "../../../client/src/index.ts";
import { type FakeMedia } from "./fake-media";

type Listener = (argument: never) => void;

/** A signal on its way. */
export interface SentSignal {
  readonly from: string;
  readonly to: string;
  readonly type: string;
  readonly signal: CallSignal;
}

/** Carries signals between calls in one process, and keeps a record. */
export class SignallingHub {
  readonly sent: SentSignal[] = [];
  /** Drops a signal on its way, and so loses it, if it returns true. */
  drops: (sent: SentSignal) => boolean = () => false;
  /** How long a signal is on its way, in milliseconds. */
  delayOf: (sent: SentSignal) => number = () => 0;
  private readonly devices: {
    userId: string;
    device: string;
    listeners: Map<string, Set<Listener>>;
  }[] = [];

  /** The signalling of another device. */
  device(userId: string, name: string): CallSignalling & { status: "online" | "offline" } {
    const listeners = new Map<string, Set<Listener>>();
    this.devices.push({ userId, device: name, listeners });
    return {
      status: "online",
      on: (event, listener) => {
        const known = listeners.get(event) ?? new Set();
        listeners.set(event, known.add(listener as Listener));
        return () => known.delete(listener as Listener);
      },
      send: async ({ userId: to, device }, input, { signal: abort } = {}) => {
        const [[type, content] = ["", {}]] = Object.entries(input);
        const text = JSON.stringify({
          ...content,
          signalType: type,
          from: { userId, device: name },
        });
        const signal: CallSignal = JSON.parse(text);
        const sent = { from: userId, to: String(to), type, signal };
        const delay = this.delayOf(sent);
        if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
        abort?.throwIfAborted();
        this.sent.push(sent);
        if (this.drops(sent)) return;
        for (const each of this.devices) {
          if (each.userId !== String(to) || (device && each.device !== device)) continue;
          this.deliver(each.listeners, "signal", signal);
        }
        for (const each of this.devices) {
          const isOther = each.userId === userId && each.device !== name;
          if (isOther && (type === "accept" || type === "reject")) {
            this.deliver(each.listeners, "answer", { callId: signal.callId, signalType: type });
          }
        }
      },
    };
  }

  /** The names of users. */
  userName: (userId: string) => Promise<string | null> = async () => null;

  /** The calls of a user on one device. */
  calls(userId: string, media: FakeMedia, device = `device-of-${userId}`) {
    const signals = this.device(userId, device);
    const platform = media.platform();
    const calls = new Calls({
      signals,
      userId: async () => userId,
      userName: (id) => this.userName(id),
      iceServers: async () => [],
      media: platform,
      relayOnly: false,
    });
    return { calls, signals, platform, devices: platform.devices };
  }

  /** Types of the signals of a user, in order. */
  typesFrom(userId: string): string[] {
    return this.sent.filter(({ from }) => from === userId).map(({ type }) => type);
  }

  private deliver(listeners: Map<string, Set<Listener>>, name: string, argument: object): void {
    for (const listener of listeners.get(name) ?? []) listener(argument as never);
  }
}
