/** Stand-ins of media tracks and devices, which count what is open and can be unplugged. */

export type Kind = "audio" | "video";

/** A stand-in of MediaStreamTrack. */
export class FakeTrack extends EventTarget {
  enabled = true;
  readyState: "live" | "ended" = "live";

  constructor(
    readonly kind: Kind,
    readonly label: string,
    private readonly live: Set<FakeTrack>,
  ) {
    super();
    live.add(this);
  }

  stop(): void {
    this.readyState = "ended";
    this.live.delete(this);
  }

  /** The device was unplugged, or the browser's own button pressed. */
  end(): void {
    if (this.readyState === "ended") return;
    this.stop();
    this.dispatchEvent(new Event("ended"));
  }
}

/** A stand-in of MediaStream. */
export class FakeStream {
  private readonly tracks: FakeTrack[];

  constructor(tracks: FakeTrack[] = []) {
    this.tracks = [...tracks];
  }

  getTracks(): FakeTrack[] {
    return [...this.tracks];
  }

  getVideoTracks(): FakeTrack[] {
    return this.tracks.filter(({ kind }) => kind === "video");
  }

  addTrack(track: FakeTrack): void {
    if (!this.tracks.includes(track)) this.tracks.push(track);
  }

  removeTrack(track: FakeTrack): void {
    const at = this.tracks.indexOf(track);
    if (at >= 0) this.tracks.splice(at, 1);
  }
}

type Constraint = boolean | { deviceId?: { exact: string }; [name: string]: unknown } | undefined;

/** A stand-in of MediaDevices with a default device of each kind. */
export class FakeDevices {
  /** Tracks that capture. */
  readonly live = new Set<FakeTrack>();
  readonly names: Record<Kind, string[]> = { audio: ["microphone"], video: ["camera"] };
  /** The constraints of each request. */
  readonly requests: Record<Kind, Constraint>[] = [];
  /** Name of the exception that every request gets. */
  refusal: string | null = null;
  /** What a request waits for, as for the user's permission. */
  permission: Promise<void> = Promise.resolve();

  async getUserMedia(constraints: Record<Kind, Constraint>): Promise<FakeStream> {
    this.requests.push(constraints);
    await this.permission;
    if (this.refusal) throw Object.assign(new Error(this.refusal), { name: this.refusal });
    const labels = (["audio", "video"] as const)
      .filter((kind) => constraints[kind])
      .map((kind) => [kind, this.find(kind, constraints[kind])] as const);
    return new FakeStream(labels.map(([kind, label]) => new FakeTrack(kind, label, this.live)));
  }

  async getDisplayMedia(): Promise<FakeStream> {
    return new FakeStream([new FakeTrack("video", "screen", this.live)]);
  }

  private find(kind: Kind, constraint: Constraint): string {
    const exact = typeof constraint === "object" ? constraint.deviceId?.exact : undefined;
    const label = exact ?? this.names[kind][0];
    if (label !== undefined && this.names[kind].includes(label)) return label;
    const name = exact === undefined ? "NotFoundError" : "OverconstrainedError";
    throw Object.assign(new Error(name), { name });
  }
}
