import { Arg, Ctx, FieldResolver, Mutation, Resolver, Root, Subscription } from "type-graphql";
import { Fault } from "../core/errors";
import type { UserViewer } from "../core/viewer";
import { Allow } from "../identity/context";
import { findUser, parseId } from "../identity/user/find-user";
import { UserType } from "../identity/user/user.type";
import { CallAnswerType, showAnswer } from "./answer.type";
import type { CallContext } from "./context";
import { readCursor, showCursor } from "./cursor";
import { showSignal } from "./show-signal";
import type { Party } from "./signal";
import {
  RejectCallInput,
  RejectCallPayload,
  SendSignalInput,
  SendSignalPayload,
} from "./signal.input";
import { SignalPartyType, SignalType } from "./signal.type";
import { openSubscriber, type ParcelOf } from "./subscriber";
import { toSignal } from "./to-signal";

type SignalParcel = ParcelOf<"signal">;

const AFTER = {
  nullable: true,
  description:
    "Cursor of the last signal or answer received, less than a minute ago: everything after it comes first, then what follows, without a gap or a repeat. INVALID when that cannot be promised; subscribe without it then.",
} as const;

/** Subscribes the device that the caller's session is to parcels of one kind. */
function subscribeTo(kind: "signal" | "answered") {
  return async ({ context, args }: { context: CallContext; args: { after?: string | null } }) => {
    const viewer = await context.visit.user();
    return openSubscriber(context.router, {
      ...{ kind, party: deviceOf(viewer, context), hangUp: context.caller.hangUp },
      after: readCursor(args.after, viewer.userId),
    });
  };
}

@Resolver()
export class CallResolver {
  @Allow("user")
  @Mutation(() => SendSignalPayload, {
    description:
      "Sends a call signal to a user of the application, over whichever door each of its devices is connected.",
  })
  async sendSignal(
    @Ctx() context: CallContext,
    @Arg("input", () => SendSignalInput, { description: "The signal." }) input: SendSignalInput,
  ): Promise<SendSignalPayload> {
    const signal = toSignal(deviceOf(await context.visit.user(), context), input);
    const cursor = await context.router.send("graphql", signal);
    return { id: signal.id, cursor: showCursor(cursor, signal.to.userId) };
  }

  @Allow("user")
  @Mutation(() => RejectCallPayload, {
    description: "Declines an incoming call: sends a `reject` to the user who called.",
  })
  async rejectCall(
    @Ctx() context: CallContext,
    @Arg("input", () => RejectCallInput, { description: "The call." }) input: RejectCallInput,
  ): Promise<RejectCallPayload> {
    const { recipientId, ...fields } = input;
    const userId = parseId(recipientId);
    if (userId === null) throw Fault.field("recipientId", "must be the id of a user");
    const from = deviceOf(await context.visit.user(), context);
    const signal = toSignal(from, { ...fields, signalType: "reject", to: { userId } });
    const door = context.caller.door === "rest" ? "rest" : "graphql";
    await context.router.send(door, signal);
    return { sessionId: input.sessionId };
  }

  @Allow("user")
  @Subscription(() => SignalType, {
    description:
      "Call signals to oneself: the calls that ring at this moment, or what came after a cursor, and from then on everything.",
    subscribe: subscribeTo("signal"),
  })
  callSignals(
    @Root() parcel: SignalParcel,
    @Arg("after", () => String, AFTER) _after?: string | null,
  ): SignalType {
    return showOnce(parcel);
  }

  @Allow("user")
  @Subscription(() => CallAnswerType, {
    description:
      "Answers that other devices of one's own give, so that this one stops ringing. Subscribe to callSignals beside it.",
    subscribe: subscribeTo("answered"),
  })
  async callAnswers(
    @Ctx() { visit }: CallContext,
    @Root() parcel: ParcelOf<"answered">,
    @Arg("after", () => String, AFTER) _after?: string | null,
  ): Promise<CallAnswerType> {
    return showAnswer((await visit.user()).userId, parcel);
  }
}

/** What was shown last. All devices of a user are served in a row; a WeakMap costs more than showing. */
let last: { parcel: SignalParcel; signal: SignalType } | undefined;

function showOnce(parcel: SignalParcel): SignalType {
  if (last?.parcel !== parcel) {
    last = { parcel, signal: showSignal(parcel.cursor, parcel.signal, parcel.mayHaveMissed) };
  }
  return last.signal;
}

@Resolver(() => SignalPartyType)
export class SignalPartyResolver {
  @FieldResolver(() => UserType, {
    nullable: true,
    description: "The user's profile; null when it was deleted meanwhile.",
  })
  user(
    @Ctx() { identity }: CallContext,
    @Root() { applicationId, userId }: SignalPartyType,
  ): Promise<UserType | null> {
    return findUser(identity, applicationId, { id: String(userId) });
  }
}

/** The device that a session's GraphQL calls and subscriptions are, whichever connection they use. */
function deviceOf(viewer: UserViewer, { caller }: CallContext): Required<Party> {
  const { applicationId, userId, sessionId } = viewer;
  return { applicationId, userId, resource: `graphql-${caller.deviceSession ?? sessionId}` };
}
