import { Arg, Ctx, FieldResolver, Mutation, Resolver, Root, Subscription } from "type-graphql";
import { Fault } from "../core/errors";
import type { UserViewer } from "../core/viewer";
import { Allow } from "../identity/context";
import { findUser, parseId } from "../identity/user/find-user";
import { UserType } from "../identity/user/user.type";
import type { CallContext } from "./context";
import type { Parcel } from "./device";
import { showSignal } from "./show-signal";
import type { Party } from "./signal";
import {
  RejectCallInput,
  RejectCallPayload,
  SendSignalInput,
  SendSignalPayload,
} from "./signal.input";
import { SignalPartyType, SignalType } from "./signal.type";
import { openSubscriber } from "./subscriber";
import { toSignal } from "./to-signal";

type SignalParcel = Parcel & { kind: "signal" };

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
    return { id: signal.id, cursor };
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
    description: "Call signals to oneself, from the moment the subscription stands.",
    subscribe: async ({ context }: { context: CallContext }) =>
      openSubscriber(
        context.router,
        deviceOf(await context.visit.user(), context),
        context.caller.hangUp,
      ),
  })
  callSignals(@Root() parcel: SignalParcel): SignalType {
    return showOnce(parcel);
  }
}

/** What was made of parcels that are on their way: each goes to every device of a user. */
const shown = new WeakMap<SignalParcel, SignalType>();

function showOnce(parcel: SignalParcel): SignalType {
  const known = shown.get(parcel);
  if (known) return known;
  const signal = showSignal(parcel.cursor, parcel.signal);
  shown.set(parcel, signal);
  return signal;
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
