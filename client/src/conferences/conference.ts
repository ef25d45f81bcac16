import { Emitter } from "../emitter.ts";
import type { SignalboxError } from "../errors.ts";
import {
  MuteConferenceMemberDocument,
  RemoveConferenceMemberDocument,
  SetConferenceMuteDocument,
  UpdateConferenceDocument,
} from "../generated/operations.ts";
import type { LocalMedia, MediaKind } from "../media/local-media.ts";
import type { MediaPlatform } from "../media/media-platform.ts";
import { captureScreen } from "../media/screen.ts";
import { onWindow, platformEvents } from "../transport/platform-events.ts";
import { ActivityMonitor } from "./activity-monitor.ts";
import { ConferenceMedia } from "./conference-media.ts";
import type {
  ConferenceEndReason,
  ConferenceEvents,
  ConferenceSettings,
  ConferenceState,
  Member,
  PublishSettings,
} from "./conference-types.ts";
import { MemberList, type ReportedMember } from "./member-list.ts";
import {
  type ConferenceEvent,
  type JoinedConference,
  Membership,
  type MembershipConnection,
} from "./membership.ts";
import { MuteSync } from "./mute-sync.ts";
import type { WatchedStream } from "./watcher.ts";

/** What a {@link Conference} needs. */
export interface ConferenceDeps {
  readonly connection: MembershipConnection;
  /** Null where there is none: then only members and events are known. */
  readonly platform: MediaPlatform | null;
  /** Whether all media goes through a TURN server. */
  readonly relayOnly: boolean;
}

/**
 * A conference of which this side is a member, by `conferences.join()` or `joinAsGuest()`. After a lost connection it
 * comes back by itself.
 *
 * | state | begins when | becomes |
 * |---|---|---|
 * | `joining` | it is made | `joined`, `left` |
 * | `joined` | the first event, which is a snapshot, has arrived | `reconnecting`, `left` |
 * | `reconnecting` | the socket or the seat is lost; media continues if the network does | `joined`, `left` |
 * | `left` | this side leaves, or cannot come back; `ended` says why | – |
 *
 * @example
 * ```ts
 * import { createConference } from "@signalbox/client";
 *
 * const { id } = await createConference(signalbox.session, { name: "Monday" });
 * const conference = await signalbox.conferences.join(id, { audio: true, video: true });
 * conference.on("change", () => {
 *   for (const { name, speaking } of conference.members) console.log(name, speaking);
 * });
 * conference.on("ended", ({ reason }) => console.log(reason));
 * conference.setMuted("video", true);
 * await conference.leave();
 * ```
 */
export class Conference extends Emitter<ConferenceEvents> {
  readonly id: string;
  readonly #connection: MembershipConnection;
  readonly #membership: Membership;
  readonly #media: ConferenceMedia | null;
  readonly #platform: MediaPlatform | null;
  readonly #local: LocalMedia | null;
  readonly #mutes: MuteSync | null;
  readonly #stop: (() => void)[] = [];
  readonly #activity: ActivityMonitor | null;
  readonly #members: MemberList;
  #settings: ConferenceSettings | null = null;
  #state: ConferenceState = "joining";
  #endReason: ConferenceEndReason | null = null;
  #error: SignalboxError | null = null;
  #hasBeenOnline = false;

  /** @param local the opened microphone and camera, which end with the conference; null to listen only */
  constructor(
    { connection, platform, relayOnly }: ConferenceDeps,
    id: string,
    local: LocalMedia | null,
  ) {
    super();
    this.id = id;
    this.#connection = connection;
    this.#platform = platform;
    this.#local = local;
    const membership = new Membership(connection, id, {
      onJoined: (joined) => this.#joined(joined),
      onEvent: (event) => this.#receive(event),
      onConnection: () => this.#derive(),
      onEnd: (reason, error) => this.#end(reason, error),
    });
    this.#membership = membership;
    this.#media = platform
      ? new ConferenceMedia({
          platform,
          membership,
          local,
          relayOnly,
          memberId: () => membership.memberId,
          allowsVideo: () => this.#settings?.video ?? true,
          onStreams: (changed) => this.#streams(changed),
          onScreenEnded: () => this.#changed(),
          onRefused: (error) => this.emit("mediaRefused", error),
        })
      : null;
    this.#activity = this.#media
      ? new ActivityMonitor(this.#media, {
          isCameraOn: (memberId) => this.#members.get(memberId)?.videoMuted === false,
          onSpeaking: (memberId, speaking) => this.emit("speaking", { memberId, speaking }),
          onChange: () => this.#changed(),
          wantsStatistics: () => this.hasListeners("statistics"),
          onStatistics: (stats) => this.emit("statistics", stats),
        })
      : null;
    this.#members = new MemberList({
      me: () => membership.memberId,
      local,
      media: this.#media,
      activity: this.#activity?.tracker ?? null,
      onMember: (member) => this.emit("member", member),
      onLeft: (member) => this.emit("memberLeft", member),
    });
    this.#mutes = local
      ? new MuteSync(
          () => ({ audio: local.isMuted("audio"), video: local.isMuted("video") }),
          (change) => membership.run(SetConferenceMuteDocument, change),
          membership.signal,
        )
      : null;
    local?.on("track", () => this.#muted());
    local?.on("deviceLost", (lost) => this.emit("deviceLost", lost));
  }

  get state(): ConferenceState {
    return this.#state;
  }

  /** Name, seats and other settings; null before it is joined. */
  get settings(): ConferenceSettings | null {
    return this.#settings;
  }

  /** All members, this side as well, by the time they joined. */
  get members(): Member[] {
    return this.#members.views;
  }

  /** This side as a member; null before it is joined. */
  get me(): Member | null {
    return this.#members.me;
  }

  /** The own microphone and camera; null for one who only listens. */
  get localStream(): MediaStream | null {
    return this.#local?.stream ?? null;
  }

  /** The screen that this side shares; null while it shares none. */
  get screen(): MediaStream | null {
    return this.#media?.screen ?? null;
  }

  /** Why the membership has ended; null before. */
  get endReason(): ConferenceEndReason | null {
    return this.#endReason;
  }

  /** The error with which the membership has ended. */
  get error(): SignalboxError | null {
    return this.#error;
  }

  /** Joins; for `conferences.join()`. @throws SignalboxError */
  join(): Promise<void> {
    return this.#membership.join();
  }

  /** Whether the own microphone or camera is muted or missing. */
  isMuted(kind: MediaKind): boolean {
    return this.#local?.isMuted(kind) ?? true;
  }

  /** Mutes or unmutes the microphone or the camera, and tells the others, also after a rejoin. */
  setMuted(kind: MediaKind, muted: boolean): void {
    this.#local?.setMuted(kind, muted);
    this.#muted();
  }

  /**
   * Uses another microphone or camera.
   * @param deviceId of `enumerateDevices`
   * @throws SignalboxError DEVICE_NOT_FOUND, PERMISSION_DENIED, DEVICE_IN_USE
   */
  async switchDevice(kind: MediaKind, deviceId: string): Promise<void> {
    await this.#local?.useDevice(kind, deviceId);
  }

  /**
   * Shares a screen besides the camera, until {@link stopScreen} or the browser's own button. Resolves once it is
   * published.
   * @param screen a stream that was captured already
   * @throws SignalboxError PERMISSION_DENIED when the user cancels, and what the service answers
   */
  async shareScreen(screen?: MediaStream): Promise<void> {
    if (!this.#media || !this.#platform) return;
    const shared = this.#media.shareScreen(screen ?? (await captureScreen(this.#platform, true)));
    this.#changed();
    await shared;
    this.#changed();
  }

  /** Shares the screen no more. */
  stopScreen(): void {
    this.#media?.stopScreen();
  }

  /** Limits what this side sends. @throws SignalboxError INVALID */
  async configure({ bitrate }: PublishSettings): Promise<void> {
    await this.#media?.limit(bitrate);
  }

  /**
   * Chooses the simulcast layer in which a member's camera is received.
   * @param layer 0 for the smallest to 2; members who send only one layer are received in that
   * @throws SignalboxError
   */
  async setLayer(memberId: string, layer: number): Promise<void> {
    await this.#media?.watcher.receive(memberId, { layer });
  }

  /**
   * Receives a member's camera or not, for instance because it is not shown. Its voice is still received.
   * @throws SignalboxError
   */
  async setReceiving(memberId: string, on: boolean): Promise<void> {
    await this.#media?.watcher.receive(memberId, { send: on });
  }

  /** Mutes a member, until it unmutes itself. For moderators. @throws SignalboxError FORBIDDEN, NOT_FOUND */
  async mute(memberId: string, kind: MediaKind): Promise<void> {
    const input = { conferenceId: this.id, memberId, [kind]: true };
    await this.#connection.session.execute(MuteConferenceMemberDocument, { input });
  }

  /**
   * Removes a member, who may join again unless the conference is locked; a guest needs a link to come back. For
   * moderators.
   * @throws SignalboxError
   */
  async remove(memberId: string): Promise<void> {
    const input = { conferenceId: this.id, memberId };
    await this.#connection.session.execute(RemoveConferenceMemberDocument, { input });
  }

  /** Lets nobody else in, but members who come back and moderators. For moderators. @throws SignalboxError FORBIDDEN */
  async lock(on: boolean): Promise<void> {
    const input = { conferenceId: this.id, locked: on };
    await this.#connection.session.execute(UpdateConferenceDocument, { input });
  }

  /**
   * Leaves. Resolves when the seat is free, and never rejects.
   * @param keepalive whether the page closes: then the request outlives it
   */
  leave(keepalive = false): Promise<void> {
    return this.#membership.leave(keepalive);
  }

  #joined({ conference, iceServers }: JoinedConference): void {
    const { members, ...settings } = conference;
    this.#settings = settings;
    this.#members.replace(members);
    this.#ownMutes(this.#members.get(this.#membership.memberId), true);
    if (this.#stop.length === 0) this.#start();
    this.#media?.start(iceServers, settings.bitrate);
    this.#derive();
    this.#changed();
  }

  #start(): void {
    this.#stop.push(
      onWindow("pagehide", () => void this.leave(true)),
      // After a change of the network the old path may be dead.
      platformEvents.onReturn(() => this.#media?.recover()),
      () => this.#activity?.stop(),
    );
    this.#activity?.start();
  }

  #receive(event: ConferenceEvent): void {
    switch (event.__typename) {
      case "ConferenceSnapshotEvent":
        this.#settings = event.conference;
        this.#members.replace(event.members);
        this.#ownMutes(this.#members.get(this.#membership.memberId));
        break;
      case "ConferenceUpdatedEvent":
        this.#settings = event.conference;
        break;
      case "ConferenceMemberJoinedEvent":
      case "ConferenceMemberUpdatedEvent":
        this.#ownMutes(event.member);
        this.#members.set(event.member);
        break;
      case "ConferenceMemberLeftEvent":
        this.#members.remove(event.memberId);
        break;
      case "ConferenceStreamsEvent":
        this.#media?.watcher.update(event);
        return;
      case "ConferencePeerClosedEvent":
        this.#media?.peerClosed(event.peerId);
        return;
      case "ConferenceReconnectEvent":
        this.#media?.reopen();
        return;
    }
    this.#changed();
  }

  /**
   * A moderator may have muted this side, or have done so before this page was loaded: only the user undoes that.
   * @param joined whether the membership is new
   */
  #ownMutes(member: ReportedMember | undefined, joined = false): void {
    if (member?.id !== this.#membership.memberId || !this.#mutes) return;
    const isChanging = this.#mutes.isRunning;
    if (isChanging && !joined) return;
    const { audioMuted: audio, videoMuted: video } = member;
    this.#mutes.known({ audio, video });
    if (!isChanging) {
      if (audio) this.#local?.setMuted("audio", true);
      if (video) this.#local?.setMuted("video", true);
    }
    this.#mutes.sync();
  }

  #muted(): void {
    this.#mutes?.sync();
    this.#changed();
  }

  #streams(changed: readonly WatchedStream[]): void {
    for (const { memberId, source, stream } of changed) {
      const name = source === "MAIN" ? "camera" : "screen";
      this.emit("remoteStream", { memberId, source: name, stream });
    }
    this.#changed();
  }

  #derive(): void {
    if (this.#state === "left") return;
    const { isConnected } = this.#membership;
    this.#hasBeenOnline ||= isConnected;
    const isIn = isConnected || (!this.#hasBeenOnline && this.#settings !== null);
    this.#setState(isIn ? "joined" : this.#settings ? "reconnecting" : "joining");
  }

  #setState(state: ConferenceState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.emit("state", state);
    this.#changed();
  }

  #changed(): void {
    this.emit("change", undefined);
  }

  #end(reason: ConferenceEndReason, error: SignalboxError | null): void {
    if (this.#state === "left") return;
    this.#endReason = reason;
    this.#error = error;
    for (const stop of this.#stop.splice(0)) stop();
    this.#media?.close();
    this.#local?.close();
    this.#setState("left");
    if (reason === "replaced") this.emit("replaced", undefined);
    this.emit("ended", { reason, error });
    this.removeListeners();
  }
}
