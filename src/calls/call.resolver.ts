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
    "Cursor of the last signal or answer received, less than a minute old. Everything after it is delivered first, then new events, without gaps or duplicates. INVALID when this cannot be guaranteed; then subscribe without it.",
} as const;

/** Subscribes the device of the caller's session to messages of one kind. */
function subscribeTo(kind: "signal" | "answered") {
  return async ({ context, args }: { context: CallContext; args: { after?: string | null } }) => {
    const viewer = await context.visit.user();
    return openSubscriber(context.router, {
      ...{ kind, party: deviceOf(viewer, context), disconnect: context.caller.hangUp },
      after: readCursor(args.after, viewer.userId),
    });
  };
}

@Resolver()
export class CallResolver {
  @Allow("user")
  @Mutation(() => SendSignalPayload, {
    description:
      "Sends a call signal to a user of the application; it reaches all of the user's devices, whatever their protocol.",
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
    description: "Declines an incoming call by sending a `reject` to the caller.",
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
    const protocol = context.caller.door === "rest" ? "rest" : "graphql";
    await context.router.send(protocol, signal);
    return { sessionId: input.sessionId };
  }

  @Allow("user")
  @Subscription(() => SignalType, {
    description:
      "Call signals to the calling user: first the calls that are ringing, or everything after a cursor, then all new signals.",
    subscribe: subscribeTo("signal"),
  })
  callSignals(
    @Root() message: SignalParcel,
    @Arg("after", () => String, AFTER) _after?: string | null,
  ): SignalType {
    return toGraphqlOnce(message);
  }

  @Allow("user")
  @Subscription(() => CallAnswerType, {
    description:
      "Answers given on the calling user's other devices, so that this device stops ringing. Subscribe to callSignals as well.",
    subscribe: subscribeTo("answered"),
  })
  async callAnswers(
    @Ctx() { visit }: CallContext,
    @Root() message: ParcelOf<"answered">,
    @Arg("after", () => String, AFTER) _after?: string | null,
  ): Promise<CallAnswerType> {
    return showAnswer((await visit.user()).userId, message);
  }
}

/**
 * The last conversion; all devices of a user are served in a row. A WeakMap would cost more than it saves.
 */
let lastConverted: { message: SignalParcel; signal: SignalType } | undefined;

function toGraphqlOnce(message: SignalParcel): SignalType {
  if (lastConverted?.message !== message) {
    const signal = showSignal(message.cursor, message.signal, message.mayHaveMissed);
    lastConverted = { message, signal };
  }
  return lastConverted.signal;
}

@Resolver(() => SignalPartyType)
export class SignalPartyResolver {
  @FieldResolver(() => UserType, {
    nullable: true,
    description: "The user's profile; null if the user was deleted.",
  })
  user(
    @Ctx() { identity }: CallContext,
    @Root() { applicationId, userId }: SignalPartyType,
  ): Promise<UserType | null> {
    return findUser(identity, applicationId, { id: String(userId) });
  }
}

/** The device of a session: the same for all its GraphQL operations, whatever the connection. */
function deviceOf(viewer: UserViewer, { caller }: CallContext): Required<Party> {
  const { applicationId, userId, sessionId } = viewer;
  return { applicationId, userId, resource: `graphql-${caller.deviceSession ?? sessionId}` };
}
