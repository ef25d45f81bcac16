import { monotonicNow } from "../../../../core/clock";
import { Fault } from "../../../../core/errors";
import type { Log } from "../../../../core/log";
import type { RtcPorts } from "../../../../core/variables/rtc-ports";
import type {
  CloseTarget,
  ConnectedPeer,
  ConnectRequest,
  EngineListener,
  EngineRoom,
  EngineState,
  OpenEngine,
  PeerMessage,
  PeerResponse,
} from "../engine";
import { RESULTS, type SfuMethod } from "./ipc/messages";
import { ProcessSlot } from "./process-slot";
import { RoomPlacement } from "./room-placement";
import { engineUnavailable, type SfuProcess } from "./sfu-process";

/** Options of the embedded engine. */
export interface EmbeddedOptions {
  /** The ports of the processes, one each. */
  ports: RtcPorts;
  /** The address to receive media at; `0.0.0.0` for all. */
  bindAddress: string;
  /** The address that clients reach this host at, if it is behind NAT. */
  announcedAddress?: string;
  log: Log;
  /** Time without any room after which a process ends, in milliseconds; a minute unless a test sets it. */
  idleMs?: number;
}

/** The embedded engine, and what measurements need of it. */
export interface EmbeddedEngine extends OpenEngine {
  /** The ids of the running processes, in the order of their ports. */
  readonly pids: number[];
  /** The port that serves a room; undefined for a room that is not known. */
  portOf(room: string): number | undefined;
  /** The id of the process that serves a room; undefined for a room that is not open. */
  pidOf(room: string): number | undefined;
}

const IDLE_MS = 60_000;

/**
 * The embedded engine: SFUs in processes of their own, among which rooms are spread ({@link RoomPlacement}). A process
 * starts with its first room, and ends when it had none for a minute. One that dies or hangs is followed by another;
 * its rooms are lost, and open again, except for one that has ended its process by itself.
 */
class Engine implements EmbeddedEngine {
  readonly name = "embedded";
  private readonly ports: number[];
  private readonly slots: ProcessSlot[];
  private readonly placement: RoomPlacement;
  private readonly log: Log;

  constructor(
    options: EmbeddedOptions,
    private readonly listener: EngineListener,
  ) {
    const { ports, bindAddress, announcedAddress, log, idleMs = IDLE_MS } = options;
    this.log = log;
    const sizes = { regular: ports.regular.length, quarantine: ports.quarantine.length };
    this.placement = new RoomPlacement(sizes, monotonicNow);
    this.ports = [...ports.regular, ...ports.quarantine];
    this.slots = this.ports.map(
      (port, index) =>
        new ProcessSlot({
          network: { port, bindAddress, ...(announcedAddress && { announcedAddress }) },
          log,
          idleMs,
          event: listener,
          died: (reason) => this.died(index, reason),
        }),
    );
  }

  async open(
    room: EngineRoom,
    state?: EngineState,
  ): Promise<{ state: EngineState; resumed: string[] }> {
    const { room: name, application = 0 } = room;
    const slot = this.slots[this.placement.place(name, application)] as ProcessSlot;
    try {
      return await slot.open(name, async (process) => {
        const opened = await this.call(process, "open", [room, state]);
        this.placement.opened(name);
        return opened;
      });
    } catch (error) {
      if (!slot.has(name)) this.placement.closed(name);
      throw error;
    }
  }

  async connect(request: ConnectRequest): Promise<ConnectedPeer> {
    return this.call(this.running(this.placement.processOf(request.room)), "connect", [request]);
  }

  async signal(peer: string, message: PeerMessage): Promise<PeerResponse> {
    return this.call(this.running(this.slotOf(peer)), "signal", [peer, message]);
  }

  async close(target: CloseTarget): Promise<void> {
    const index =
      "peer" in target ? this.slotOf(target.peer) : this.placement.processOf(target.room);
    const slot = this.slots[index ?? -1];
    const isRoom = !("peer" in target) && !("participant" in target);
    // Everything in a process that has ended is closed.
    if (slot?.running) await this.call(slot.running, "close", [target]);
    if (!isRoom) return;
    this.placement.closed(target.room);
    slot?.release(target.room);
  }

  usage(): { rooms: number; peers: number; tracks: number } {
    const sum = { rooms: 0, peers: 0, tracks: 0 };
    for (const { running } of this.slots) {
      sum.rooms += running?.usage.rooms ?? 0;
      sum.peers += running?.usage.peers ?? 0;
      sum.tracks += running?.usage.tracks ?? 0;
    }
    return sum;
  }

  get pids(): number[] {
    return this.slots.flatMap(({ running }) => running?.pid ?? []);
  }

  portOf(room: string): number | undefined {
    return this.ports[this.placement.processOf(room) ?? -1];
  }

  pidOf(room: string): number | undefined {
    return this.slots[this.placement.processOf(room) ?? -1]?.running?.pid;
  }

  async shutdown(): Promise<void> {
    await Promise.all(this.slots.map((slot) => slot.shutdown()));
  }

  /** A process has died: its rooms open again where they are placed then. */
  private died(index: number, reason: string): void {
    const { lost, ended } = this.placement.died(index);
    for (const room of ended) {
      this.log.error(
        { room },
        "A conference has ended its media server process again; it is ended",
      );
      this.listener({ type: "room-ended", room, reason });
    }
    for (const room of lost) this.listener({ type: "room-lost", room, reason });
  }

  /** The process of a peer, whose id begins with the port. */
  private slotOf(peer: string): number {
    return this.ports.indexOf(Number(peer.slice(0, peer.indexOf("-"))));
  }

  /** @throws Fault NOT_FOUND if there is no process, and so no room */
  private running(index: number | undefined): SfuProcess {
    const process = this.slots[index ?? -1]?.running;
    if (!process) throw new Fault("NOT_FOUND", "The conference is not open at the media server");
    return process;
  }

  private async call<Method extends Exclude<SfuMethod, "shutdown">>(
    process: SfuProcess,
    method: Method,
    parameters: unknown[],
  ): Promise<ReturnType<(typeof RESULTS)[Method]["parse"]>> {
    const result = await process.request({ method, parameters });
    const { success, data } = RESULTS[method].safeParse(result);
    if (!success) {
      process.kill("sent a result that it should not");
      throw engineUnavailable();
    }
    return data as ReturnType<(typeof RESULTS)[Method]["parse"]>;
  }
}

/** Opens the embedded engine. Nothing is started before the first room. */
export function openEmbeddedEngine(
  options: EmbeddedOptions,
  listener: EngineListener,
): EmbeddedEngine {
  return new Engine(options, listener);
}
