import { Arg, Ctx, ID, Mutation, Resolver, Root, Subscription } from "type-graphql";
import { BoundedStream } from "../../../core/bounded-stream";
import { Fault } from "../../../core/errors";
import { Allow } from "../../access/request-auth";
import type { PeerMessage } from "../engine/engine";
import { VIDEO_BITRATE } from "../model/conference";
import type { DeliveredEvent } from "../model/conference-service";
import { ConferenceEventType, eventToGraphql } from "./event.type";
import { decodeEventCursor } from "./event-cursor";
import {
  AddConferenceCandidateInput,
  AnswerConferencePeerInput,
  ConferenceDonePayload,
  ConferencePeerInput,
  ConfigureConferencePeerInput,
  MembershipInput,
  PublishConferenceMediaInput,
  PublishConferenceMediaPayload,
  RestartConferencePeerInput,
  RestartConferencePeerPayload,
  WatchConferencePayload,
} from "./media.input";
import { toGraphqlStream } from "./media.type";
import { parseMembership } from "./membership";
import type { MembershipContext } from "./membership.resolver";
import { withSdp } from "./sdp-input";

/** Maximum number of events queued for a slow subscriber; beyond it, its connection is closed. */
const QUEUE_MAX = 256;
/** Maximum length of a candidate, in characters. */
const CANDIDATE_MAX = 1_024;
/** Maximum length of a mid, in characters. */
const MID_MAX = 16;
const DONE: ConferenceDonePayload = { done: true };

interface ConferenceDelivery {
  conferenceId: number;
  delivered: DeliveredEvent;
}

@Resolver()
export class ConferenceMediaResolver {
  @Allow("conference")
  @Mutation(() => PublishConferenceMediaPayload, {
    description:
      "Publishes media over a new peer connection. It replaces the caller's earlier one of the same source.",
  })
  async publishConferenceMedia(
    @Ctx() { memberships, auth }: MembershipContext,
    @Arg("input", () => PublishConferenceMediaInput, { description: "The media." })
    { membershipId, source, offer }: PublishConferenceMediaInput,
  ): Promise<PublishConferenceMediaPayload> {
    const ref = parseMembership(membershipId, await auth.participant());
    const { peer, sdp } = await withSdp("offer", offer, () =>
      memberships.service.publish(ref, source ?? "main", offer),
    );
    return { peerId: peer, answer: sdp };
  }

  @Allow("conference")
  @Mutation(() => WatchConferencePayload, {
    description:
      "Opens the peer connection that receives the media of all others. It follows who publishes: changes come as events.",
  })
  async watchConference(
    @Ctx() { memberships, auth }: MembershipContext,
    @Arg("input", () => MembershipInput, { description: "The membership." })
    { membershipId }: MembershipInput,
  ): Promise<WatchConferencePayload> {
    const ref = parseMembership(membershipId, await auth.participant());
    const { peer, sdp, streams } = await memberships.service.watch(ref);
    return { peerId: peer, offer: sdp || null, streams: streams.map(toGraphqlStream) };
  }

  @Allow("conference")
  @Mutation(() => ConferenceDonePayload, {
    description: "Answers the last offer of a watching peer connection.",
  })
  async answerConferencePeer(
    @Ctx() context: MembershipContext,
    @Arg("input", () => AnswerConferencePeerInput, { description: "The answer." })
    { answer, ...peer }: AnswerConferencePeerInput,
  ): Promise<ConferenceDonePayload> {
    await withSdp("answer", answer, () => signal(context, peer, { answer }));
    return DONE;
  }

  @Allow("conference")
  @Mutation(() => ConferenceDonePayload, {
    description: "Adds an ICE candidate of the client (RFC 8838).",
  })
  async addConferenceCandidate(
    @Ctx() context: MembershipContext,
    @Arg("input", () => AddConferenceCandidateInput, { description: "The candidate." })
    { candidate, sdpMid = null, sdpMLineIndex = null, ...peer }: AddConferenceCandidateInput,
  ): Promise<ConferenceDonePayload> {
    if (candidate.length > CANDIDATE_MAX) {
      throw Fault.field("candidate", `is too long (maximum is ${CANDIDATE_MAX} characters)`);
    }
    checkMid("sdpMid", sdpMid);
    await signal(context, peer, { candidate: { candidate, sdpMid, sdpMLineIndex } });
    return DONE;
  }

  @Allow("conference")
  @Mutation(() => RestartConferencePeerPayload, {
    description: "Restarts ICE, for example after the client's network has changed.",
  })
  async restartConferencePeer(
    @Ctx() context: MembershipContext,
    @Arg("input", () => RestartConferencePeerInput, { description: "The peer connection." })
    { offer, ...peer }: RestartConferencePeerInput,
  ): Promise<RestartConferencePeerPayload> {
    const { sdp = "", replaced = false } =
      typeof offer === "string"
        ? await withSdp("offer", offer, () => signal(context, peer, { restart: { offer } }))
        : await signal(context, peer, { restart: {} });
    return { sdp, replaced };
  }

  @Allow("conference")
  @Mutation(() => ConferenceDonePayload, {
    description: "Changes the bitrate that is published, or a stream that is received.",
  })
  async configureConferencePeer(
    @Ctx() context: MembershipContext,
    @Arg("input", () => ConfigureConferencePeerInput, { description: "The changes." })
    { bitrate, mid = null, send, layer, ...peer }: ConfigureConferencePeerInput,
  ): Promise<ConferenceDonePayload> {
    checkMid("mid", mid);
    if (typeof bitrate === "number") {
      if (bitrate < VIDEO_BITRATE.min || bitrate > VIDEO_BITRATE.max) {
        throw Fault.field(
          "bitrate",
          `must be between ${VIDEO_BITRATE.min} and ${VIDEO_BITRATE.max}`,
        );
      }
      await signal(context, peer, { publisher: { bitrate } });
    }
    if (mid !== null) {
      if (typeof layer === "number" && (layer < 0 || layer > 2)) {
        throw Fault.field("layer", "must be 0, 1 or 2");
      }
      const stream = {
        mid,
        ...(typeof send === "boolean" && { send }),
        ...(typeof layer === "number" && { layer }),
      };
      await signal(context, peer, { stream });
    }
    return DONE;
  }

  @Allow("conference")
  @Mutation(() => ConferenceDonePayload, {
    description: "Closes a peer connection of the caller; no error if it is gone.",
  })
  async closeConferencePeer(
    @Ctx() { memberships, auth }: MembershipContext,
    @Arg("input", () => ConferencePeerInput, { description: "The peer connection." })
    { membershipId, peerId }: ConferencePeerInput,
  ): Promise<ConferenceDonePayload> {
    const ref = parseMembership(membershipId, await auth.participant());
    await memberships.service.closePeer(ref, peerId);
    return DONE;
  }

  @Allow("conference")
  @Subscription(() => ConferenceEventType, {
    description:
      "The events of a conference that the caller has joined: first the whole state, or everything after a cursor, then each change in order. While it is open it keeps the caller's seat; 15 seconds after its end the seat is free.",
    subscribe: async ({
      context,
      args,
    }: {
      context: MembershipContext;
      args: { membershipId: string; after?: string | null };
    }) => openEvents(context, args),
  })
  conferenceEvents(
    @Root() { conferenceId, delivered }: ConferenceDelivery,
    @Arg("membershipId", () => ID, { description: "The membership, from joinConference." })
    _membershipId: string,
    @Arg("after", () => String, {
      nullable: true,
      description:
        "Cursor of the last event received, less than a minute old. INVALID when events may have been missed since; then subscribe without it.",
    })
    _after?: string | null,
  ): ConferenceEventType {
    return eventToGraphql(conferenceId, delivered);
  }
}

async function openEvents(
  { memberships, auth, caller }: MembershipContext,
  { membershipId, after }: { membershipId: string; after?: string | null },
): Promise<BoundedStream<ConferenceDelivery>> {
  const ref = parseMembership(membershipId, await auth.participant());
  const { conferenceId } = ref;
  let ended = false;
  let detach: () => Promise<void> = async () => undefined;
  const stream = new BoundedStream<ConferenceDelivery>({
    capacity: QUEUE_MAX,
    overflowFault: () =>
      new Fault("LIMITED", "Events arrive faster than you read them", undefined, 1),
    ...(caller.disconnect && { disconnect: caller.disconnect }),
    onEnd: () => {
      ended = true;
      void detach();
    },
  });
  detach = await memberships.service.subscribe(
    {
      ref,
      receive: (delivered) => stream.push({ conferenceId, delivered }),
      whenDrained: async () => stream.whenDrained(),
      // What is queued is still delivered.
      end: () => void endAfterDrain(stream),
    },
    decodeEventCursor(conferenceId, after),
  );
  if (ended) await detach();
  return stream;
}

async function endAfterDrain(stream: BoundedStream<ConferenceDelivery>): Promise<void> {
  await stream.whenDrained();
  stream.close();
}

async function signal(
  { memberships, auth }: MembershipContext,
  { membershipId, peerId }: ConferencePeerInput,
  message: PeerMessage,
) {
  const ref = parseMembership(membershipId, await auth.participant());
  return memberships.service.signal(ref, peerId, message);
}

/** @throws Fault INVALID */
function checkMid(field: string, mid: string | null): void {
  if (mid !== null && mid.length > MID_MAX) {
    throw Fault.field(field, `is too long (maximum is ${MID_MAX} characters)`);
  }
}
