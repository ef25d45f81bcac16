import { sendInput, sendStanza } from "./exchange";
import type { IceCandidate } from "./graphql-client";
import { ALICE_CANDIDATES, ALICE_OFFER, BOB_ANSWER, BOB_CANDIDATES } from "./media";
import type { Participants } from "./participants";
import type { StepRunner } from "./step-runner";
import type { Elements } from "./xmpp-client";

const TO_BOB = "Alice → Bob    XMPP → GraphQL";
const TO_ALICE = "Bob → Alice    GraphQL → XMPP";

/** Alice calls, Bob accepts, both send candidates, Alice sends an update, Bob hangs up. */
export async function answeredCall(runner: StepRunner, participants: Participants): Promise<void> {
  const { alice, bob } = participants;
  // Any unique text; all signals of the call carry the same one.
  const sessionID = String(Date.now());

  // Alice does not know Bob's devices: the call goes to his bare JID and rings on all of them.
  // Bob replies to `from`, the only field that reliably identifies the sender of a signal.
  let caller = { userId: String(alice.id), device: null as string | null };
  await runner.step("call", TO_BOB, async (signal) => {
    const outcome = await sendStanza(
      participants,
      { jid: bob.jid, device: null },
      {
        signalType: "call",
        sessionID,
        callType: "1",
        sdp: ALICE_OFFER,
        platform: "iOS",
        callerID: String(alice.id),
        opponentsIDs: { opponentID: [String(bob.id)] },
        userInfo: { topic: "Planning & review" },
        full_name: "Alice Moreau",
      },
      {
        __typename: "CallSignal",
        signalType: "call",
        callId: sessionID,
        callType: "VIDEO",
        sdp: ALICE_OFFER,
        platform: "iOS",
        callerId: String(alice.id),
        opponentIds: [String(bob.id)],
        userInfo: { topic: "Planning & review" },
        // A custom parameter: elements that the protocol does not define arrive as `extra`.
        extra: [{ name: "full_name", text: "Alice Moreau" }],
      },
      signal,
    );
    caller = outcome.payload.from;
    return outcome;
  });

  // From here on both address the device that takes part in the call.
  let answerer = { jid: bob.jid, device: null as string | null };
  await runner.step("accept", TO_ALICE, async (signal) => {
    const outcome = await sendInput(
      participants,
      {
        to: caller,
        signalType: "accept",
        callId: sessionID,
        sdp: BOB_ANSWER,
        platform: "Web",
        userInfo: { full_name: "Bob Lindqvist" },
      },
      {
        signalType: "accept",
        sessionID,
        sdp: BOB_ANSWER,
        platform: "Web",
        userInfo: { full_name: "Bob Lindqvist" },
      },
      signal,
    );
    const [jid = "", device = null] = outcome.stanza.attrs.from?.split("/") ?? [];
    answerer = { jid, device };
    return outcome;
  });

  await runner.step("iceCandidates", TO_BOB, (signal) =>
    sendStanza(
      participants,
      answerer,
      {
        signalType: "iceCandidates",
        sessionID,
        iceCandidates: candidateElements(ALICE_CANDIDATES),
      },
      {
        __typename: "IceCandidatesSignal",
        signalType: "iceCandidates",
        callId: sessionID,
        iceCandidates: ALICE_CANDIDATES,
      },
      signal,
    ),
  );

  await runner.step("iceCandidates", TO_ALICE, (signal) =>
    sendInput(
      participants,
      {
        to: caller,
        signalType: "iceCandidates",
        callId: sessionID,
        iceCandidates: BOB_CANDIDATES,
      },
      {
        signalType: "iceCandidates",
        sessionID,
        iceCandidates: candidateElements(BOB_CANDIDATES),
      },
      signal,
    ),
  );

  // An update has one element for each changed parameter; GraphQL collects them in `parameters`.
  await runner.step("update", TO_BOB, (signal) =>
    sendStanza(
      participants,
      answerer,
      { signalType: "update", sessionID, videoEnabled: "false", layout: { mode: "grid" } },
      {
        __typename: "UpdateSignal",
        signalType: "update",
        callId: sessionID,
        // Values from XML are always text.
        parameters: { videoEnabled: "false", layout: { mode: "grid" } },
      },
      signal,
    ),
  );

  await runner.step("hangUp", TO_ALICE, (signal) =>
    sendInput(
      participants,
      {
        to: caller,
        signalType: "hangUp",
        callId: sessionID,
        userInfo: { reason: "done" },
      },
      { signalType: "hangUp", sessionID, userInfo: { reason: "done" } },
      signal,
    ),
  );
}

/** ICE candidates in their stanza form. */
function candidateElements(candidates: IceCandidate[]): Elements {
  return {
    iceCandidate: candidates.map(({ sdpMLineIndex, sdpMid, candidate }) => ({
      sdpMLineIndex: String(sdpMLineIndex),
      sdpMid,
      candidate,
    })),
  };
}
