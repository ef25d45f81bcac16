import type { MemberFieldsFragment } from "../generated/operations.ts";
import type { LocalMedia } from "../media/local-media.ts";
import type { ActivityTracker } from "./activity.ts";
import type { ConferenceMedia } from "./conference-media.ts";
import type { Member, MemberState } from "./conference-types.ts";

/** A member as the service reports it. */
export type ReportedMember = MemberFieldsFragment;

/** What a {@link MemberList} asks and reports. */
export interface MemberListDeps {
  /** The own member's id. */
  me(): string;
  readonly local: LocalMedia | null;
  readonly media: ConferenceMedia | null;
  readonly activity: ActivityTracker | null;
  /** A member has joined or changed. */
  onMember(member: Member): void;
  /** A member is out. */
  onLeft(member: Member): void;
}

/** The members of a conference, by the time they joined. */
export class MemberList {
  readonly #deps: MemberListDeps;
  readonly #members = new Map<string, ReportedMember>();

  constructor(deps: MemberListDeps) {
    this.#deps = deps;
  }

  /** All members as an application sees them. */
  get views(): Member[] {
    return [...this.#members.values()].map((member) => this.#view(member));
  }

  /** This side; null before it has joined. */
  get me(): Member | null {
    const me = this.#members.get(this.#deps.me());
    return me ? this.#view(me) : null;
  }

  /** A member as the service reports it. */
  get(id: string): ReportedMember | undefined {
    return this.#members.get(id);
  }

  /** Takes the whole state. */
  replace(members: readonly ReportedMember[]): void {
    const present = new Set(members.map(({ id }) => id));
    for (const id of [...this.#members.keys()]) if (!present.has(id)) this.remove(id);
    for (const member of members) this.set(member);
  }

  set(member: ReportedMember): void {
    this.#members.set(member.id, member);
    this.#deps.onMember(this.#view(member));
  }

  remove(id: string): void {
    const member = this.#members.get(id);
    if (!member) return;
    const view = this.#view(member);
    this.#members.delete(id);
    this.#deps.onLeft(view);
  }

  /** Of this side, the mutes are those here, which the service learns a moment later. */
  #view(member: ReportedMember): Member {
    const { id, userId, name, joinedAt, moderator, publishing, sharingScreen } = member;
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
      audioMuted: own ? own.isMuted("audio") : member.audioMuted,
      videoMuted: own ? own.isMuted("video") : member.videoMuted,
      isSharingScreen: isMe ? screen !== null : sharingScreen,
      isVideoPaused: activity?.isVideoPaused(id) ?? false,
      speaking: activity?.isSpeaking(id) ?? false,
      audioLevel: activity?.level(id) ?? 0,
      stream,
      screen,
    };
  }
}

function stateOf(publishing: boolean, hasArrived: boolean): MemberState {
  if (!publishing) return "listening";
  return hasArrived ? "connected" : "connecting";
}
