import { SignalboxError } from "../errors.ts";
import { AdmitConferenceGuestDocument } from "../generated/operations.ts";
import { browserMedia, type MediaPlatform } from "../media/media-platform.ts";
import { Session } from "../session/session.ts";
import { baseUrl } from "../transport/base-url.ts";
import { postGraphql } from "../transport/http.ts";
import { Socket } from "../transport/socket.ts";
import { Conference } from "./conference.ts";
import type { JoinOptions } from "./conference-types.ts";
import { openParticipantMedia } from "./open-media.ts";

/** A guest with the secret of a link. */
export interface GuestOptions {
  /** The base URL of the service, such as https://api.example. */
  readonly url: string;
  /** The secret of the link. */
  readonly secret: string;
  /** Name that the others see. */
  readonly name: string;
  /** The media objects of the platform: of the browser by default. */
  readonly media?: MediaPlatform | null;
  /** Whether all media goes through a TURN server; false by default. */
  readonly relayOnly?: boolean;
  /** `fetch` of the platform by default. */
  readonly fetch?: typeof fetch;
  /** `WebSocket` of the platform by default. */
  readonly WebSocket?: unknown;
}

/**
 * Joins a conference without an account. The guest has a connection of its own, which closes when the conference ends.
 * Devices are opened first, so that a refusal there uses up nothing of the link.
 *
 * @example
 * ```ts
 * import { createConference, createConferenceLink, joinAsGuest } from "@signalbox/client";
 *
 * // A moderator makes the link …
 * const { id } = await createConference(signalbox.session, { name: "Interview" });
 * const { secret } = await createConferenceLink(signalbox.session, id, { maxUses: 1 });
 *
 * // … and a page of a guest uses it.
 * const conference = await joinAsGuest(
 *   { url: "http://127.0.0.1:4000", secret, name: "Dana" },
 *   { audio: true, video: true },
 * );
 * await conference.leave();
 * ```
 * @throws SignalboxError NOT_FOUND for a link that is not valid or has been used up, INVALID for the name, FULL and
 *   others of `conferences.join()`
 */
export async function joinAsGuest(
  { url, secret, name, media = browserMedia(), relayOnly = false, ...platform }: GuestOptions,
  options: JoinOptions = {},
): Promise<Conference> {
  const graphqlUrl = `${baseUrl(url)}/graphql`;
  const target = { graphqlUrl, fetch: platform.fetch ?? ((...request) => fetch(...request)) };
  const local = await openParticipantMedia(media, options);
  try {
    const input = { secret, name };
    const { admitConferenceGuest: admitted } = await postGraphql(
      target,
      null,
      AdmitConferenceGuestDocument,
      { input },
    );
    const session = new Session(target, ({ replaces }) => guestToken(admitted.token, replaces));
    const socketUrl = graphqlUrl.replace(/^http/, "ws");
    const socket = new Socket({ url: socketUrl, session, WebSocket: platform.WebSocket });
    const connection = { session, socket, userId: async () => null };
    const deps = { connection, platform: media, relayOnly };
    const conference = new Conference(deps, admitted.conference.id, local);
    conference.on("ended", () => {
      socket.close();
      session.close();
    });
    await conference.join();
    return conference;
  } catch (error) {
    local?.close();
    throw error;
  }
}

/** A guest's token ends with the conference or the link, and there is no other one. */
function guestToken(token: string, replaces: string | null): string {
  if (replaces === null) return token;
  throw new SignalboxError("UNAUTHENTICATED", "The guest's admission has ended");
}
