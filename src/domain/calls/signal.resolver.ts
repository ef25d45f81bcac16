import { Arg, Ctx, FieldResolver, Mutation, Resolver, Root, Subscription } from "type-graphql";
import { Fault } from "../../core/errors";
import { parseId } from "../../core/text/ids";
import type { UserViewer } from "../../core/viewer";
import { Allow } from "../access/request-auth";
import type { RequestContext } from "../access/request-context";
import { UserType } from "../users/user.type";
import type { UserContext } from "../users/user-deps";
import { answerToGraphql, CallAnswerType } from "./inbox/answer.type";
import type { Router } from "./router";
import { type MessageOf, openSignalSubscription } from "./signal-subscription";
import { decodeCursor, encodeCursor } from "./signals/cursor";
import type { Party } from "./signals/signal";
import {
  RejectCallInput,
  RejectCallPayload,
  SendSignalInput,
  SendSignalPayload,
  type SignalContentInput,
} from "./signals/signal.input";
import { SignalPartyType, SignalType, signalToGraphql } from "./signals/signal.type";
import { selectSignal, signalFromInput } from "./signals/signal-from-input";

/** Context of the resolvers of signals. */
export interface SignalContext extends RequestContext {
  router: Router;
}

type SignalMessage = MessageOf<"signal">;

const AFTER = {
  nullable: true,
  description:
    "Cursor of the last signal or answer received, less than a minute old. Everything after it is delivered first, then new events, without gaps or duplicates. INVALID when this cannot be guaranteed; then subscribe with allowGap.",
} as const;

const ALLOW_GAP = {
  defaultValue: false,
  description:
    "Whether a subscription whose cursor has expired is to receive what is still stored after it, in place of INVALID. The first signal then has mayHaveMissed.",
} as const;

/** The arguments of both subscriptions. */
interface ResumeArgs {
  after?: string | null;
  allowGap: boolean;
}

/** Subscribes the device of the caller's session to messages of one kind. */
function subscribeTo(kind: "signal" | "answered") {
  return async ({ context, args }: { context: SignalContext; args: ResumeArgs }) => {
    const viewer = await context.auth.user();
    return openSignalSubscription(context.router, {
      kind,
      party: devicePartyOf(viewer, context),
      disconnect: context.caller.disconnect,
      after: decodeCursor(args.after, viewer.userId),
      allowGap: args.allowGap,
    });
  };
}

@Resolver()
export class SignalResolver {
  @Allow("user")
  @Mutation(() => SendSignalPayload, {
    description:
      "Sends a call signal to a user of the application; it reaches all of the user's devices, whatever their protocol.",
  })
  async sendSignal(
    @Ctx() context: SignalContext,
    @Arg("input", () => SendSignalInput, { description: "The signal." }) input: SendSignalInput,
  ): Promise<SendSignalPayload> {
    const toSend = selectSignal(input.signal);
    const from = devicePartyOf(await context.auth.user(), context);
    const signal = signalFromInput(from, input, toSend);
    const cursor = await context.router.send("graphql", signal);
    return { id: signal.id, cursor: encodeCursor(cursor, signal.to.userId) };
  }

  @Allow("user")
  @Mutation(() => RejectCallPayload, {
    description: "Declines an incoming call by sending a `reject` to the caller.",
  })
  async rejectCall(
    @Ctx() context: SignalContext,
    @Arg("input", () => RejectCallInput, { description: "The call." }) input: RejectCallInput,
  ): Promise<RejectCallPayload> {
    const { recipientId, ...fields } = input;
    if (parseId(recipientId) === null) throw Fault.field("recipientId", "must be the id of a user");
    const from = devicePartyOf(await context.auth.user(), context);
    const to = { userId: recipientId };
    const content = fields as typeof fields & SignalContentInput;
    const signal = signalFromInput(from, { to }, { type: "reject", content, path: "" });
    const protocol = context.caller.protocol === "rest" ? "rest" : "graphql";
    await context.router.send(protocol, signal);
    return { callId: input.callId };
  }

  @Allow("user")
  @Subscription(() => SignalType, {
    description:
      "Call signals to the signed-in user: first the calls that are ringing, or everything after a cursor, then all new signals.",
    subscribe: subscribeTo("signal"),
  })
  callSignals(
    @Root() message: SignalMessage,
    @Arg("after", () => String, AFTER) _after?: string | null,
    @Arg("allowGap", () => Boolean, ALLOW_GAP) _allowGap?: boolean,
  ): SignalType {
    return toGraphqlOnce(message);
  }

  @Allow("user")
  @Subscription(() => CallAnswerType, {
    description:
      "Answers given on the signed-in user's other devices, so that this device stops ringing. Subscribe to callSignals as well.",
    subscribe: subscribeTo("answered"),
  })
  async callAnswers(
    @Ctx() { auth }: SignalContext,
    @Root() message: MessageOf<"answered">,
    @Arg("after", () => String, AFTER) _after?: string | null,
    @Arg("allowGap", () => Boolean, ALLOW_GAP) _allowGap?: boolean,
  ): Promise<CallAnswerType> {
    return answerToGraphql((await auth.user()).userId, message);
  }
}

/**
 * The last conversion; all devices of a user are served in a row. A WeakMap would cost more than it saves.
 */
let lastConverted: { message: SignalMessage; signal: SignalType } | undefined;

function toGraphqlOnce(message: SignalMessage): SignalType {
  if (lastConverted?.message !== message) {
    const signal = signalToGraphql(message.cursor, message.signal, message.mayHaveMissed);
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
  async user(
    @Ctx() { users }: UserContext,
    @Root() { applicationId, userId }: SignalPartyType,
  ): Promise<UserType | null> {
    const user = await users.byId.load(userId);
    return user?.applicationId === applicationId ? user : null;
  }
}

/** The device of a session: the same for all its GraphQL operations, whatever the connection. */
function devicePartyOf(viewer: UserViewer, { caller }: SignalContext): Required<Party> {
  const { applicationId, userId, sessionId } = viewer;
  return { applicationId, userId, resource: `graphql-${caller.deviceSessionId ?? sessionId}` };
}
