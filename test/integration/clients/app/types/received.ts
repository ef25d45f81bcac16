import type { SignalsSubscription } from "../gql/graphql";

/** Received signals. */

export function received(signal: SignalsSubscription["callSignals"]): void {
  const from: string = signal.from.userId;

  switch (signal.__typename) {
    case "CallSignal": {
      const call: { callId: string; sdp: string; callType: "AUDIO" | "VIDEO" } = signal;
      void call;
      break;
    }
    case "AcceptSignal": {
      const accept: { callId: string; sdp: string } = signal;
      void accept;
      // @ts-expect-error 'CallType | null' is not assignable
      const callType: "AUDIO" | "VIDEO" = signal.callType;
      void callType;
      break;
    }
    case "IceCandidatesSignal": {
      // @ts-expect-error Property 'candidate' does not exist
      signal.iceCandidates.candidate;
      // @ts-expect-error possibly 'undefined'
      signal.iceCandidates[0].candidate;
      break;
    }
    case "OtherSignal": {
      // @ts-expect-error Property 'sdp' does not exist
      signal.sdp;
      // @ts-expect-error 'string | null' is not assignable to type 'string'
      const callId: string = signal.callId;
      void callId;
      break;
    }
    // @ts-expect-error is not comparable to type
    case "GoneSignal":
      break;
  }
  // @ts-expect-error Property 'sdp' does not exist
  signal.sdp;
  // @ts-expect-error Property 'platform' does not exist
  signal.platform;
  // @ts-expect-error is of type 'unknown'
  signal.userInfo?.name.length;
  void from;
}
