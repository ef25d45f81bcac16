import type { EngineState } from "../engine/engine";
import type { Peer } from "../peers/peer";
import { type HostRef, writeEngineState } from "../rows/host-queries";
import type { HostDeps } from "./host-deps";

/** What the row of a conference has of its media: the engine's state, and the peers. */
export interface StoredMedia {
  engine: EngineState;
  peers: Peer[];
}

/** Delay until a change is stored, in milliseconds; several changes are stored together. */
const STORE_MS = 200;

/** Stores the media of a conference for a restart of this node, if the engine outlives it. */
export class MediaState {
  private timer: NodeJS.Timeout | null = null;
  private writing: Promise<void> | null = null;

  /** @param media what is to be stored */
  constructor(
    private readonly deps: Pick<HostDeps, "engine" | "store" | "log">,
    private readonly ref: () => HostRef,
    private readonly media: () => StoredMedia,
  ) {}

  /** The media has changed. */
  changed(): void {
    if (this.timer || Object.keys(this.media().engine).length === 0) return;
    this.timer = setTimeout(() => void this.flush(), STORE_MS);
    this.timer.unref();
  }

  /**
   * Stores a new peer before its client has it: the next host closes a peer that is not stored, and can tell nobody.
   */
  async save(): Promise<void> {
    this.changed();
    await this.flush();
  }

  /**
   * Stores what has changed at once. What changes while a write runs is stored with the next one, together.
   * A failure is logged: media does not wait for a database that is away.
   */
  async flush(): Promise<void> {
    // It may have begun before the last change.
    await this.writing;
    if (this.timer) {
      this.writing ??= this.write().finally(() => {
        this.writing = null;
      });
    }
    await this.writing;
  }

  /** Stores nothing more of what has changed. */
  discard(): void {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  private async write(): Promise<void> {
    this.discard();
    const { engine, store, log } = this.deps;
    try {
      await writeEngineState(store, this.ref(), engine?.name ?? "", this.media());
    } catch (error) {
      log.warn({ err: error }, "the media of a conference could not be stored");
    }
  }
}
