import { Emitter } from "../emitter.ts";
import { closedError } from "../errors.ts";
import {
  ConferenceInvitationsDocument,
  type ConferenceInvitationsSubscription,
} from "../generated/operations.ts";
import type { MediaPlatform } from "../media/media-platform.ts";
import type { Session } from "../session/session.ts";
import { resumeSubscription } from "../transport/resuming-subscription.ts";
import type { Socket } from "../transport/socket.ts";
import { Conference } from "./conference.ts";
import type { JoinOptions } from "./conference-types.ts";
import { openParticipantMedia } from "./open-media.ts";

/** An invitation to a conference, which the signed-in user may join. */
export type ConferenceInvitation = ConferenceInvitationsSubscription["conferenceInvitations"];

/** Events of {@link Conferences}. */
export interface ConferencesEvents {
  /** Somebody invites the signed-in user. */
  invited: ConferenceInvitation;
  /** A conference was joined or has ended. */
  change: undefined;
}

/** What {@link Conferences} needs. */
export interface ConferencesOptions {
  readonly session: Session;
  readonly socket: Socket;
  /** The platform's media objects; null if it has none. */
  readonly media: MediaPlatform | null;
  /** Whether all media goes through a TURN server. */
  readonly relayOnly: boolean;
}

/**
 * The conferences of the signed-in user on this device.
 *
 * @example
 * ```ts
 * import { listConferences } from "@signalbox/client";
 *
 * const { conferences, session } = signalbox;
 * conferences.on("invited", ({ conference, inviterId }) => {
 *   console.log(`${inviterId} invites you to ${conference.name}`);
 * });
 * const { nodes } = await listConferences(session);
 * for (const { id } of nodes.slice(0, 1)) {
 *   const conference = await conferences.join(id, { audio: true });
 *   await conference.leave();
 * }
 * ```
 */
export class Conferences extends Emitter<ConferencesEvents> {
  readonly #options: ConferencesOptions;
  readonly #joined = new Set<Conference>();
  readonly #stopFollowing: () => void;
  #stopInvitations: (() => void) | null = null;
  #isClosed = false;

  constructor(options: ConferencesOptions) {
    super();
    this.#options = options;
    this.#stopFollowing = options.session.on("changed", ({ userId }) => {
      if (userId !== null && this.hasListeners("invited")) this.#follow();
    });
  }

  /** The conferences that this side is joining or has joined. */
  get joined(): Conference[] {
    return [...this.#joined];
  }

  /**
   * Calls a listener for each event of a name; the first one for `invited` connects.
   * @returns a function that removes it
   */
  override on<Name extends keyof ConferencesEvents>(
    name: Name,
    listener: (argument: ConferencesEvents[Name]) => void,
  ): () => void {
    const off = super.on(name, listener);
    if (name === "invited") this.#follow();
    return off;
  }

  /**
   * Opens the microphone and the camera, and joins a conference. A user has one seat: another device of the user that
   * is in the conference is replaced.
   * @throws SignalboxError FULL, FORBIDDEN if the conference is locked, NOT_FOUND also if the user may not join it,
   *   CONFLICT if it is closed, PERMISSION_DENIED and others of the devices
   */
  async join(id: string, options: JoinOptions = {}): Promise<Conference> {
    const { session, socket, media, relayOnly } = this.#options;
    const local = await openParticipantMedia(media, options);
    const userId = async () => (await session.current()).userId;
    const connection = { session, socket, userId };
    const conference = new Conference({ connection, platform: media, relayOnly }, id, local);
    this.#joined.add(conference);
    conference.on("ended", () => {
      this.#joined.delete(conference);
      this.emit("change", undefined);
    });
    if (this.#isClosed) {
      await conference.leave();
      throw closedError();
    }
    await conference.join();
    this.emit("change", undefined);
    return conference;
  }

  /** Leaves all conferences, and stops listening. */
  close(): void {
    this.#isClosed = true;
    for (const conference of this.#joined) void conference.leave();
    this.#stopInvitations?.();
    this.#stopFollowing();
    this.removeListeners();
  }

  #follow(): void {
    if (this.#stopInvitations || this.#isClosed) return;
    this.#stopInvitations = resumeSubscription({
      socket: this.#options.socket,
      session: this.#options.session,
      document: ConferenceInvitationsDocument,
      variables: (after) => ({ after }),
      entry: ({ conferenceInvitations }) => conferenceInvitations,
      onEntry: (invitation) => this.emit("invited", invitation),
      // Invitations that were missed are in the list of conferences.
      onGap: () => {},
      // Without a user there are none; the next user starts from the beginning.
      onEnd: () => {
        this.#stopInvitations = null;
      },
    });
  }
}
