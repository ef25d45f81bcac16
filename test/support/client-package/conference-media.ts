import type { MediaPlatform } from "../../../client/src/index.ts";

/** A microphone, camera or received track, as far as the client uses one. */
class StandInTrack extends EventTarget {
  readyState = "live";
  enabled = true;

  constructor(readonly kind: string) {
    super();
  }

  stop(): void {
    this.readyState = "ended";
  }
}

class StandInStream {
  private readonly tracks: StandInTrack[];

  constructor(tracks: StandInTrack[] = []) {
    this.tracks = [...tracks];
  }

  getTracks() {
    return [...this.tracks];
  }

  getVideoTracks() {
    return this.tracks.filter(({ kind }) => kind === "video");
  }

  addTrack(track: StandInTrack): void {
    this.tracks.push(track);
  }

  removeTrack(track: StandInTrack): void {
    this.tracks.splice(this.tracks.indexOf(track), 1);
  }
}

/** A received section, or the one of a track that is sent. */
interface Section {
  mid: string;
  receiver: { track: StandInTrack };
  sender: { track: StandInTrack | null; replaceTrack(track: StandInTrack | null): Promise<void> };
}

/** Number of media sections of an offer to watch. */
const WATCHED = 24;

/** What {@link standInMedia} returns. */
export interface StandInMedia {
  /** Pass it to the client. */
  platform: MediaPlatform;
  /** All peer connections so far. */
  connections: { connectionState: string; isOpen: boolean; fail(): void }[];
  /** All captured tracks so far. */
  captured: { kind: string; readyState: string; enabled: boolean }[];
  /** While true, no step of a negotiation ends, also not when its peer connection is closed, as in browsers. */
  hangs: boolean;
}

/** Media objects without media, for clients in Node.js. A description is any text, as `MemoryEngine` takes it. */
export function standInMedia(): StandInMedia {
  const connections: StandInConnection[] = [];
  const captured: StandInTrack[] = [];

  class StandInConnection extends EventTarget {
    connectionState = "new";
    localDescription: { sdp: string } | null = null;
    private readonly sections: Section[] = [];
    private remote = "";

    constructor() {
      super();
      connections.push(this);
    }

    get isOpen(): boolean {
      return this.connectionState !== "closed";
    }

    addTrack(track: StandInTrack): void {
      this.addSection(track, track);
    }

    getTransceivers() {
      return this.sections;
    }

    getSenders() {
      return [];
    }

    restartIce(): void {}

    async setLocalDescription(): Promise<void> {
      await this.step();
      this.localDescription = { sdp: this.remote === "offer" ? "answer" : "offer" };
    }

    async setRemoteDescription({ type }: { type: string }): Promise<void> {
      await this.step();
      this.remote = type;
      for (let mid = this.sections.length; type === "offer" && mid < WATCHED; mid += 1) {
        this.addSection(new StandInTrack(mid % 2 === 0 ? "audio" : "video"), null);
      }
      this.change("connected");
    }

    async getStats() {
      return new Map();
    }

    close(): void {
      this.connectionState = "closed";
    }

    /** The network is gone. */
    fail(): void {
      this.change("failed");
    }

    private addSection(track: StandInTrack, sent: StandInTrack | null): void {
      const sender: Section["sender"] = {
        track: sent,
        async replaceTrack(next) {
          sender.track = next;
        },
      };
      this.sections.push({ mid: `${this.sections.length}`, receiver: { track }, sender });
    }

    private change(state: string): void {
      if (!this.isOpen) return;
      this.connectionState = state;
      this.dispatchEvent(new Event("connectionstatechange"));
    }

    private async step(): Promise<void> {
      if (media.hangs) await new Promise(() => {});
    }
  }

  const capture = async ({ audio, video }: { audio?: unknown; video?: unknown }) => {
    const kinds = [...(audio ? ["audio"] : []), ...(video ? ["video"] : [])];
    const tracks = kinds.map((kind) => new StandInTrack(kind));
    captured.push(...tracks);
    return new StandInStream(tracks);
  };
  const media: StandInMedia = {
    platform: {
      RTCPeerConnection: StandInConnection,
      MediaStream: StandInStream,
      mediaDevices: { getUserMedia: capture, getDisplayMedia: capture },
    } as unknown as MediaPlatform,
    connections,
    captured,
    hangs: false,
  };
  return media;
}
