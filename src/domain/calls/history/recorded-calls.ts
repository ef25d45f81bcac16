import type { CallEvent } from "./call-event";
import {
  type Callee,
  type CallState,
  type Observation,
  observe,
  repeatCall,
  startRinging,
} from "./call-states";

/** Maximum number of recorded callees of a call, since a caller can invite any number one after another. */
export const CALLEES_MAX = 15;

/** A recorded call with its callees. */
export interface RecordedCall {
  id: number;
  applicationId: number;
  callId: string;
  /** The user who started it; null if that user was deleted. */
  callerId: number | null;
  /** Milliseconds since the Unix epoch. */
  startedAt: number;
  state: CallState;
  /** When the last device in the accepted call was disconnected; null once a device is connected or has sent a signal. */
  unreachableSince: number | null;
  /** Whether the call has ended by that. */
  lost: boolean;
  /** When a member of the account ended it, in milliseconds since the Unix epoch; null if no member did. */
  endedByMemberAt: number | null;
  callees: Map<number, Callee>;
  /** The callees who were sent an incoming-call push. */
  pushed: ReadonlySet<number>;
}

/**
 * Applies an event to the calls that it belongs to. Clients choose sessionIDs, so that a sessionID alone
 * makes nobody a participant: only the caller adds users to a call, and a signal counts only between
 * participants.
 * @param calls calls with the event's sessionID in which its sender participates
 * @returns these calls; none if the call is not written yet
 */
export function matchEvent(
  calls: readonly RecordedCall[],
  event: CallEvent,
): readonly RecordedCall[] {
  const candidates = calls.filter(
    (call) => call.applicationId === event.applicationId && call.callId === event.callId,
  );
  const matching = event.kind === "call" ? applyCall(candidates, event) : shared(candidates, event);
  const open = matching.filter((call) => !isOver(call, event));
  for (const call of open) {
    if (call.unreachableSince === null || event.at <= call.unreachableSince) continue;
    call.unreachableSince = null;
    call.lost = false;
  }
  if (event.kind === "answer") applyAnswer(open, event);
  if (event.kind === "hangUp") applyHangUp(open, event);
  return matching;
}

/** Whether a member of the account had ended the call before a signal, which then is only part of the timeline. */
function isOver({ endedByMemberAt }: RecordedCall, { at }: CallEvent): boolean {
  return endedByMemberAt !== null && at > endedByMemberAt;
}

/** The calls in which both the sender and the recipient of a signal participate. */
function shared(
  calls: readonly RecordedCall[],
  { from, to }: Pick<CallEvent, "from" | "to">,
): readonly RecordedCall[] {
  const both = calls.filter((call) => isParticipant(call, from) && isParticipant(call, to));
  // Two callers may use the same sessionID for the same users; prefer calls between caller and callee.
  const direct = both.filter(({ callerId }) => callerId === from || callerId === to);
  return direct.length > 0 ? direct : both;
}

/** The same event with its sender as the caller, for a `call` that names a caller without such a call. */
export function asOwnCall(event: CallEvent): CallEvent {
  return event.kind === "call" ? { ...event, initiator: event.from } : event;
}

/** Applies the ring time-out to all callees. */
export function expireRinging({ callees }: RecordedCall, at: number): void {
  for (const callee of callees.values())
    callees.set(callee.userId, observe(callee, { kind: "expired", at }));
}

/** Ends the ringing of a call whose caller is gone. @param at milliseconds since the Unix epoch */
export function dropRinging({ callees }: RecordedCall, at: number): void {
  for (const callee of callees.values()) {
    const { answer, leftAt, droppedAt } = callee;
    if (answer !== null || leftAt !== null || droppedAt !== null) continue;
    callees.set(callee.userId, observe(callee, { kind: "dropped", at, device: null }));
  }
}

/** Whether a user is the caller or a callee. */
export function isParticipant(call: RecordedCall, userId: number): boolean {
  return call.callerId === userId || call.callees.has(userId);
}

/** In a group call the callees also call each other, on behalf of its caller. */
function applyCall(
  calls: readonly RecordedCall[],
  event: CallEvent & { kind: "call" },
): readonly RecordedCall[] {
  const call = calls.find(({ callerId }) => callerId === event.initiator);
  if (!call) return [];
  if (event.initiator !== event.from)
    return isParticipant(call, event.from) && isParticipant(call, event.to) ? [call] : [];
  if (isOver(call, event)) return [call];
  const known = call.callees.get(event.to);
  if (known) call.callees.set(event.to, repeatCall(known, event.at));
  else if (call.callees.size < CALLEES_MAX)
    call.callees.set(event.to, startRinging(event.to, event.at));
  return [call];
}

function applyAnswer(calls: readonly RecordedCall[], event: CallEvent & { kind: "answer" }): void {
  // The caller cannot answer its own call. A rejection counts only if it is sent to the caller: in a group
  // call a callee may reject another callee and stay in the call.
  const answered = calls.filter(
    ({ callerId }) =>
      callerId !== event.from && (event.answer === "accept" || callerId === event.to),
  );
  for (const call of answered) applyTo(call, event.from, event);
}

function applyHangUp(calls: readonly RecordedCall[], event: CallEvent & { kind: "hangUp" }): void {
  const { at, device, toDevice } = event;
  for (const call of calls) {
    if (call.callerId === event.from) {
      applyTo(call, event.to, { kind: "dropped", at, device: toDevice });
    } else applyTo(call, event.from, { kind: "left", at, device });
  }
}

function applyTo({ callees }: RecordedCall, userId: number, observation: Observation): void {
  const callee = callees.get(userId);
  if (callee) callees.set(userId, observe(callee, observation));
}
