import { Emitter } from "../emitter.ts";
import type { SignalboxError } from "../errors.ts";
import {
  MuteConferenceParticipantDocument,
  RemoveConferenceParticipantDocument,
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
  ConferenceParticipant,
  ConferenceSettings,
  ConferenceState,
  PublishSettings,
} from "./conference-types.ts";
import {
  type ConferenceEvent,
  type JoinedConference,
  Membership,
  type MembershipConnection,
} from "./membership.ts";
import { MuteSync } from "./mute-sync.ts";
import { ParticipantList, type ReportedParticipant } from "./participant-list.ts";
import type { WatchedStream } from "./watcher.ts";

/** What a {@link Conference} needs. */
export interface ConferenceDeps {
  readonly connection: MembershipConnection;
  /** Null where there is none: then only participants and events are known. */
  readonly platform: MediaPlatform | null;
  /** Whether all media goes through a TURN server. */
  readonly relayOnly: boolean;
}

/**
 * A conference of which this side is a participant, by `conferences.join()` or `joinAsGuest()`. After a lost connection
 * it comes back by itself.
 *
 * | state | begins when | becomes |
 * |---|---|---|
 * | `joining` | it is made | `joined`, `ended` |
 * | `joined` | the first event, which is a snapshot, has arrived | `reconnecting`, `ended` |
 * | `reconnecting` | the socket or the seat is lost; media continues if the network does | `joined`, `ended` |
 * | `ended` | this side leaves, or cannot come back; `endReason` says why | – |
 *
 * @example
 * ```ts
 * import { createConference } from "@signalbox/client";
 *
 * const { id } = await createConference(signalbox.session, { name: "Monday" });
 * const conference = await signalbox.conferences.join(id, { audio: true, video: true });
 * conference.on("change", () => {
 *   for (const { name, speaking } of conference.participants) console.log(name, speaking);
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
  readonly #participants: ParticipantList;
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
          participantId: () => membership.participantId,
          allowsVideo: () => this.#settings?.video ?? true,
          onStreams: (changed) => this.#streams(changed),
          onScreenEnded: () => this.#changed(),
          onRefused: (error) => this.emit("mediaRefused", error),
        })
      : null;
    this.#activity = this.#media
      ? new ActivityMonitor(this.#media, {
          isCameraOn: (participantId) =>
            this.#participants.get(participantId)?.videoMuted === false,
          onSpeaking: (participantId, speaking) =>
            this.emit("speaking", { participantId, speaking }),
          onChange: () => this.#changed(),
          wantsStatistics: () => this.hasListeners("statistics"),
          onStatistics: (stats) => this.emit("statistics", stats),
        })
      : null;
    this.#participants = new ParticipantList({
      me: () => membership.participantId,
      local,
      media: this.#media,
      activity: this.#activity?.tracker ?? null,
      onParticipant: (participant) => this.emit("participant", participant),
      onLeft: (participant) => this.emit("participantLeft", participant),
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

  /** All participants, this side as well, by the time they joined. */
  get participants(): ConferenceParticipant[] {
    return this.#participants.views;
  }

  /** This side as a participant; null before it is joined. */
  get me(): ConferenceParticipant | null {
    return this.#participants.me;
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
   * Chooses the simulcast layer in which a participant's camera is received.
   * @param layer 0 for the smallest to 2; participants who send only one layer are received in that
   * @throws SignalboxError
   */
  async setLayer(participantId: string, layer: number): Promise<void> {
    await this.#media?.watcher.receive(participantId, { layer });
  }

  /**
   * Receives a participant's camera or not, for instance because it is not shown. Its voice is still received.
   * @throws SignalboxError
   */
  async setReceiving(participantId: string, on: boolean): Promise<void> {
    await this.#media?.watcher.receive(participantId, { send: on });
  }

  /** Mutes a participant, until it unmutes itself. For moderators. @throws SignalboxError FORBIDDEN, NOT_FOUND */
  async mute(participantId: string, kind: MediaKind): Promise<void> {
    const input = { conferenceId: this.id, participantId, [kind]: true };
    await this.#connection.session.execute(MuteConferenceParticipantDocument, { input });
  }

  /**
   * Removes a participant, who may join again unless the conference is locked; a guest needs a link to come back. For
   * moderators.
   * @throws SignalboxError
   */
  async remove(participantId: string): Promise<void> {
    const input = { conferenceId: this.id, participantId };
    await this.#connection.session.execute(RemoveConferenceParticipantDocument, { input });
  }

  /**
   * Lets nobody else in, but participants who come back and moderators. For moderators.
   * @throws SignalboxError FORBIDDEN
   */
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
    const { participants, ...settings } = conference;
    this.#settings = settings;
    this.#participants.replace(participants);
    this.#ownMutes(this.#participants.get(this.#membership.participantId), true);
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
        this.#participants.replace(event.participants);
        this.#ownMutes(this.#participants.get(this.#membership.participantId));
        break;
      case "ConferenceUpdatedEvent":
        this.#settings = event.conference;
        break;
      case "ConferenceParticipantJoinedEvent":
      case "ConferenceParticipantUpdatedEvent":
        this.#ownMutes(event.participant);
        this.#participants.set(event.participant);
        break;
      case "ConferenceParticipantLeftEvent":
        this.#participants.remove(event.participantId);
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
  #ownMutes(participant: ReportedParticipant | undefined, joined = false): void {
    if (participant?.id !== this.#membership.participantId || !this.#mutes) return;
    const isChanging = this.#mutes.isRunning;
    if (isChanging && !joined) return;
    const { audioMuted: audio, videoMuted: video } = participant;
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
    for (const { participantId, source, stream } of changed) {
      const name = source === "MAIN" ? "camera" : "screen";
      this.emit("remoteStream", { participantId, source: name, stream });
    }
    this.#changed();
  }

  #derive(): void {
    if (this.#state === "ended") return;
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
    if (this.#state === "ended") return;
    this.#endReason = reason;
    this.#error = error;
    for (const stop of this.#stop.splice(0)) stop();
    this.#media?.close();
    this.#local?.close();
    this.#setState("ended");
    if (reason === "replaced") this.emit("replaced", undefined);
    this.emit("ended", { reason, error });
    this.removeListeners();
  }
}
