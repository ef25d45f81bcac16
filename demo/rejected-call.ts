import { expectEqual } from "./check";
import { payloadPane, sendInput } from "./exchange";
import { formatJson } from "./format";
import { BOB_OFFER } from "./media";
import type { Participants } from "./participants";
import { callRest } from "./rest-client";
import type { StepRunner } from "./step-runner";

/** Bob calls; Alice rejects the call over REST, as a phone does after a push woke it. */
export async function rejectedCall(runner: StepRunner, participants: Participants): Promise<void> {
  const { alice, bob, baseUrl } = participants;
  const sessionID = String(Date.now());

  await runner.step("call", "Bob → Alice    GraphQL → XMPP", (signal) =>
    sendInput(
      participants,
      {
        to: { userId: String(alice.id) },
        signalType: "call",
        callId: sessionID,
        callType: "AUDIO",
        sdp: BOB_OFFER,
        platform: "Web",
      },
      {
        signalType: "call",
        sessionID,
        callType: "2",
        sdp: BOB_OFFER,
        platform: "Web",
        // The server fills in the caller and the opponents if the call omits them.
        callerID: String(bob.id),
        opponentsIDs: { opponentID: String(alice.id) },
      },
      signal,
    ),
  );

  await runner.step("reject", "Alice → Bob    REST → GraphQL", async (signal) => {
    const body = { recipientId: bob.id, sessionID, platform: "iOS", userInfo: { busy: true } };
    const call = { method: "POST", path: "/calls/reject", token: alice.token, body } as const;
    // The server chooses the id of this signal, so Bob matches it by the call.
    const arrives = bob.peer.received
      .take("reject", ({ callId }) => callId === sessionID, signal)
      .then((payload) => ({ payload, at: performance.now() }));
    const sentAt = performance.now();
    const [{ payload, at }, answer] = await Promise.all([
      arrives,
      callRest(baseUrl, { ...call, status: 200 }, signal),
    ]);

    expectEqual("POST /calls/reject", {}, answer);
    expectEqual("reject.from.userId", String(alice.id), payload.from.userId);
    const { id, from, to, ...content } = payload;
    const expected = {
      __typename: "RejectSignal",
      signalType: "reject",
      callId: sessionID,
      platform: "iOS",
      userInfo: { busy: true },
    };
    expectEqual("reject.to", { userId: String(bob.id), device: null }, to);
    expectEqual("reject", expected, content);
    return {
      signalMs: at - sentAt,
      panes: [
        { heading: "POST /calls/reject by Alice", lines: (width) => formatJson(body, width) },
        payloadPane(payload),
      ],
    };
  });
}
