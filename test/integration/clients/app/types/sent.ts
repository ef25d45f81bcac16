import { request } from "../api";
import type { SendSignalInput, SignalInput } from "../gql/graphql";
import { SendSignal } from "../operations";

/** Sent signals: exactly one member of SignalInput. */

const to = { userId: 42 };
const call = { callId: "c1", callType: "VIDEO", sdp: "v=0" } as const;

export const good: SignalInput[] = [
  { call },
  { call: { ...call, callId: 1, userInfo: { name: "Ann", tags: [1, null] } } },
  { accept: { callId: "c1", sdp: "v=0" } },
  { reject: { callId: "c1", callType: null } },
  { other: { signalType: "mute" } },
];

// @ts-expect-error Property 'callId' is missing
export const noCallId: SignalInput = { hangUp: {} };
// @ts-expect-error Property 'sdp' is missing
export const noSdp: SignalInput = { accept: { callId: "c1" } };
// @ts-expect-error Property 'iceCandidates' is missing
export const noCandidates: SignalInput = { iceCandidates: { callId: "c1" } };
// @ts-expect-error '"SCREEN"' is not assignable to type 'CallType'
export const wrongType: SignalInput = { call: { ...call, callType: "SCREEN" } };
// @ts-expect-error is not assignable to type 'SignalInput'
export const two: SignalInput = { call, hangUp: { callId: "c1" } };
// @ts-expect-error is not assignable to type 'SignalInput'
export const none: SignalInput = {};
// @ts-expect-error 'ring' does not exist in type
export const unknownMember: SignalInput = { ring: call };
// @ts-expect-error Property 'to' is missing
export const noRecipient: SendSignalInput = { signal: { call } };

export function send(service: { url: string }): void {
  void request(service, SendSignal, { input: { to, signal: { call } } });
  // @ts-expect-error Property 'input' is missing
  void request(service, SendSignal, {});
  // @ts-expect-error 'inputs' does not exist
  void request(service, SendSignal, { inputs: { to, signal: { call } } });
}
