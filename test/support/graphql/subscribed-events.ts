import type { Outcome } from "../../../src/domain/push/providers/port/provider";
import { createConference, mutate } from "../../../tools/conferences/graphql-participant";
import { newSessionId, send, waitForCall } from "../calls/calls";
import { eventually } from "../moving-clock";
import type { TestNode } from "../node";
import { addDevice, postEvent } from "../push/push";
import type { RecordingProviders } from "../push/recording-provider";
import { newGuest, newUser, rest, signedParameters, signIn, type TestUser } from "../rest-client";
import { memberToken } from "../sessions/owner";

/** The tokens of one viewer of each kind that may subscribe to something. */
export interface Viewers {
  user: string;
  guest: string;
  "guest by link": string;
  "web session": string;
  support: string;
  developer: string;
  owner: string;
}

/** What a subscription needs to be open, and how to cause an event of it. */
export interface SubscribedEvent {
  /** The arguments, as in a document. */
  args: string;
  /** Whether the subscription begins with an event. */
  isPresent?: boolean;
  /** Causes an event. @returns a text of each message about it; empty for any message */
  cause(): Promise<string>;
}

/** The participants of the events. */
export interface SubscribedWorld {
  viewers: Viewers;
  /** Prepares the events of a subscription for a viewer, by the name of its field. */
  fields: Record<string, (viewer: keyof Viewers) => Promise<SubscribedEvent>>;
  /** Lets the pushes go that wait. */
  release(): void;
}

/** Makes the participants on a node. */
export async function subscribedWorld(
  node: TestNode,
  providers: RecordingProviders,
): Promise<SubscribedWorld> {
  const ann = await newUser(node);
  const annsPhone = { ...ann, ...(await signIn(node, ann)) };
  const bob = await newUser(node);
  const guest = await newGuest(node);
  const conferenceId = await createConference(node, bob.token);
  const created = await mutate(node, "createConferenceLink", "secret", { conferenceId }, bob.token);
  const admitted = await mutate(node, "admitConferenceGuest", "token", {
    secret: created.secret,
    name: "Gus",
  });
  const webSession = async (): Promise<string> =>
    (await rest(node, "POST", "/session/web", { body: signedParameters(node) })).body.session.token;
  const viewers: Viewers = {
    user: ann.token,
    guest: guest.token,
    "guest by link": admitted.token,
    "web session": await webSession(),
    support: await memberToken(node, "support"),
    developer: await memberToken(node, "developer"),
    owner: await memberToken(node, "owner"),
  };
  const userOf = (viewer: keyof Viewers) => (viewer === "guest" ? guest : ann);
  const application = `applicationId: "${node.application.id}"`;
  const released: Array<() => void> = [];

  const call = async (to: Pick<TestUser, "id">) => {
    const callId = newSessionId();
    await send(node, bob, to, "call", callId);
    return callId;
  };
  let names = 0;
  const rename = async () => {
    const name = `named ${++names}`;
    await mutate(node, "updateConference", "conference { id }", { conferenceId, name }, bob.token);
    return name;
  };
  /** A push to one device, whose service answers when `cause` is called. */
  const heldPush = async (sender: TestUser) => {
    await node.sql("DELETE FROM push_subscriptions WHERE user_id = $1", [ann.id]);
    const token = await addDevice(node, ann);
    const outcome = new Promise<Outcome>((resolve) => {
      released.push(() => resolve({ kind: "accepted", providerId: null }));
    });
    const mine = released.at(-1);
    providers.outcomes.set(token, () => outcome);
    const [event] = await postEvent(node, sender, { user: { ids: String(ann.id) } });
    await eventually(
      () => providers.tokens(),
      (sent) => sent.includes(token),
    );
    return { id: String(event.id), release: () => mine?.() };
  };

  return {
    viewers,
    release: () => {
      for (const each of released) each();
    },
    fields: {
      callSignals: async (viewer) => ({
        args: "",
        async cause() {
          const callId = newSessionId();
          await send(node, bob, userOf(viewer), "probe", callId);
          return callId;
        },
      }),
      callAnswers: async () => ({
        args: "",
        async cause() {
          const callId = await call(ann);
          await send(node, annsPhone, bob, "accept", callId);
          return callId;
        },
      }),
      callChanges: async (viewer) => {
        if (viewer === "user" || viewer === "guest") {
          return { args: "", cause: () => call(userOf(viewer)) };
        }
        if (viewer !== "support") return { args: application, cause: () => call(ann) };
        const callId = await call(ann);
        const record = await waitForCall(node, ann, callId, "RINGING");
        return {
          args: `${application}, id: "${record.id}"`,
          isPresent: true,
          async cause() {
            await send(node, bob, ann, "probe", callId);
            return "";
          },
        };
      },
      conferenceInvitations: async (viewer) => ({
        args: "",
        async cause() {
          const name = `invited ${++names}`;
          const other = await createConference(node, bob.token, { name });
          const input = { conferenceId: other, userIds: [String(userOf(viewer).id)] };
          await mutate(node, "inviteToConference", "conference { id }", input, bob.token);
          await mutate(
            node,
            "closeConference",
            "conference { id }",
            { conferenceId: other },
            bob.token,
          );
          return name;
        },
      }),
      pushDeliveries: async () => ({
        args: "",
        async cause() {
          await node.sql("DELETE FROM push_subscriptions WHERE user_id = $1", [ann.id]);
          const token = await addDevice(node, ann);
          providers.outcomes.delete(token);
          const [event] = await postEvent(node, ann, { user: { ids: String(ann.id) } });
          return `"eventId":"${event.id}"`;
        },
      }),
      conferenceEvents: async (viewer) => {
        const { membershipId } = await mutate(
          node,
          "joinConference",
          "membershipId",
          { conferenceId },
          viewers[viewer],
        );
        return { args: `membershipId: "${membershipId}"`, isPresent: true, cause: rename };
      },
      sessionBound: async () => {
        const token = await webSession();
        viewers["web session"] = token;
        return {
          args: "",
          async cause() {
            await rest(node, "PATCH", "/session/web", {
              token: ann.token,
              body: { web_token: token },
            });
            return "";
          },
        };
      },
      conferenceChanges: async () => ({
        args: `${application}, conferenceId: "${conferenceId}"`,
        isPresent: true,
        cause: rename,
      }),
      pushProgress: async (viewer) => {
        const { id, release } = await heldPush(userOf(viewer));
        return {
          args: `eventId: "${id}"`,
          isPresent: true,
          async cause() {
            release();
            return '"outcome":"ACCEPTED"';
          },
        };
      },
    },
  };
}
