import type { CallEvent } from "./call-event";
import { type Callee, type CallState, ring, ringAgain, type Sight, see } from "./call-states";

/** Callees of a call that are recorded at most: more may be invited one after the other. */
export const CALLEES_MAX = 15;

/** A call that is recorded, with the users who were called. */
export interface KnownCall {
  id: number;
  applicationId: number;
  sessionId: string;
  /** Who began it; null once the user was deleted. */
  callerId: number | null;
  /** Milliseconds since the Unix epoch. */
  startedAt: number;
  state: CallState;
  callees: Map<number, Callee>;
  /** Those of them who were sent a push to wake them. */
  woken: ReadonlySet<number>;
}

/**
 * Takes an event into the calls that it is about. A sessionID is whatever a client says, so that alone
 * makes nobody part of a call: only its caller brings users into it, and a signal counts where both of
 * its ends take part.
 * @param calls those of the event's sessionID in which its sender takes part
 * @returns whether there is such a call; a `call` may be about one that is not written yet
 */
export function takeIn(calls: readonly KnownCall[], event: CallEvent): boolean {
  const own = calls.filter(
    (call) => call.applicationId === event.applicationId && call.sessionId === event.sessionId,
  );
  if (event.kind === "call") return invite(own, event);
  const shared = own.filter((call) => takesPart(call, event.from) && takesPart(call, event.to));
  // Two callers may use one sessionID for the same users; between caller and callee it is plain.
  const direct = shared.filter(({ callerId }) => callerId === event.from || callerId === event.to);
  const meant = direct.length > 0 ? direct : shared;
  return event.kind === "answer" ? answer(meant, event) : hangUp(meant, event);
}

/** The same event as the sender's own call: for one that named somebody else in vain. */
export function asOwnCall(event: CallEvent): CallEvent {
  return event.kind === "call" ? { ...event, initiator: event.from } : event;
}

/** Ends the waiting for callees of whom nothing was seen in time. */
export function expire({ callees }: KnownCall, at: number): void {
  for (const callee of callees.values())
    callees.set(callee.userId, see(callee, { kind: "expired", at }));
}

function takesPart(call: KnownCall, userId: number): boolean {
  return call.callerId === userId || call.callees.has(userId);
}

/** In a group call the callees call one another too, in the name of whoever began it. */
function invite(calls: readonly KnownCall[], event: CallEvent & { kind: "call" }): boolean {
  const call = calls.find(({ callerId }) => callerId === event.initiator);
  if (!call) return false;
  if (event.initiator !== event.from)
    return takesPart(call, event.from) && takesPart(call, event.to);
  const known = call.callees.get(event.to);
  if (known) call.callees.set(event.to, ringAgain(known, event.at));
  else if (call.callees.size < CALLEES_MAX) call.callees.set(event.to, ring(event.to, event.at));
  return true;
}

function answer(calls: readonly KnownCall[], event: CallEvent & { kind: "answer" }): boolean {
  // Whoever began a call has nothing to answer; a callee may decline another's part of the call.
  const meant = calls.filter(
    ({ callerId }) =>
      callerId !== event.from && (event.answer === "accept" || callerId === event.to),
  );
  for (const call of meant) sight(call, event.from, event);
  return meant.length > 0 || calls.length > 0;
}

function hangUp(calls: readonly KnownCall[], event: CallEvent & { kind: "hangUp" }): boolean {
  const { at, device, toDevice } = event;
  for (const call of calls) {
    if (call.callerId === event.from) {
      sight(call, event.to, { kind: "dropped", at, device: toDevice });
    } else sight(call, event.from, { kind: "left", at, device });
  }
  return calls.length > 0;
}

function sight({ callees }: KnownCall, userId: number, seen: Sight): void {
  const callee = callees.get(userId);
  if (callee) callees.set(userId, see(callee, seen));
}
