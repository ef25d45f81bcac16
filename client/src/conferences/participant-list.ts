import type { ParticipantFieldsFragment } from "../generated/operations.ts";
import type { LocalMedia } from "../media/local-media.ts";
import type { ActivityTracker } from "./activity.ts";
import type { ConferenceMedia } from "./conference-media.ts";
import type { ConferenceParticipant, ConferenceParticipantState } from "./conference-types.ts";

/** A participant as the service reports it. */
export type ReportedParticipant = ParticipantFieldsFragment;

/** What a {@link ParticipantList} asks and reports. */
export interface ParticipantListDeps {
  /** The own participant's id. */
  me(): string;
  readonly local: LocalMedia | null;
  readonly media: ConferenceMedia | null;
  readonly activity: ActivityTracker | null;
  /** A participant has joined or changed. */
  onParticipant(participant: ConferenceParticipant): void;
  /** A participant is out. */
  onLeft(participant: ConferenceParticipant): void;
}

/** The participants of a conference, by the time they joined. */
export class ParticipantList {
  readonly #deps: ParticipantListDeps;
  readonly #participants = new Map<string, ReportedParticipant>();

  constructor(deps: ParticipantListDeps) {
    this.#deps = deps;
  }

  /** All participants as an application sees them. */
  get views(): ConferenceParticipant[] {
    return [...this.#participants.values()].map((participant) => this.#view(participant));
  }

  /** This side; null before it has joined. */
  get me(): ConferenceParticipant | null {
    const me = this.#participants.get(this.#deps.me());
    return me ? this.#view(me) : null;
  }

  /** A participant as the service reports it. */
  get(id: string): ReportedParticipant | undefined {
    return this.#participants.get(id);
  }

  /** Takes the whole state. */
  replace(participants: readonly ReportedParticipant[]): void {
    const present = new Set(participants.map(({ id }) => id));
    for (const id of [...this.#participants.keys()]) if (!present.has(id)) this.remove(id);
    for (const participant of participants) this.set(participant);
  }

  set(participant: ReportedParticipant): void {
    this.#participants.set(participant.id, participant);
    this.#deps.onParticipant(this.#view(participant));
  }

  remove(id: string): void {
    const participant = this.#participants.get(id);
    if (!participant) return;
    const view = this.#view(participant);
    this.#participants.delete(id);
    this.#deps.onLeft(view);
  }

  /** Of this side, the mutes are those here, which the service learns a moment later. */
  #view(participant: ReportedParticipant): ConferenceParticipant {
    const { id, userId, name, joinedAt, moderator, publishing, sharingScreen } = participant;
    const { local, media, activity } = this.#deps;
    const isMe = id === this.#deps.me();
    const own = isMe ? local : null;
    const stream = isMe ? (local?.stream ?? null) : (media?.watcher.stream(id, "MAIN") ?? null);
    const screen = isMe ? (media?.screen ?? null) : (media?.watcher.stream(id, "SCREEN") ?? null);
    return {
      id,
      userId,
      name,
      joinedAt,
      state: stateOf(publishing, isMe || stream !== null),
      isMe,
      isModerator: moderator,
      audioMuted: own ? own.isMuted("audio") : participant.audioMuted,
      videoMuted: own ? own.isMuted("video") : participant.videoMuted,
      isSharingScreen: isMe ? screen !== null : sharingScreen,
      isVideoPaused: activity?.isVideoPaused(id) ?? false,
      speaking: activity?.isSpeaking(id) ?? false,
      audioLevel: activity?.level(id) ?? 0,
      stream,
      screen,
    };
  }
}

function stateOf(publishing: boolean, hasArrived: boolean): ConferenceParticipantState {
  if (!publishing) return "listening";
  return hasArrived ? "connected" : "connecting";
}
