import type { Bus } from "../bus/bus";
import { Fault } from "../core/errors";
import type { Log } from "../core/log";
import type { Metrics } from "../core/metrics";
import { newId } from "../core/random";
import type { Device } from "./device";
import { Inbox } from "./inbox";
import { type Party, SIGNAL_TYPES, type Signal } from "./signal";

/** The way every signal takes, from whichever door, to every connected device it is meant for. */
export interface Router {
  /**
   * Connects a device; resolves once signals sent from then on reach it, and answers how to detach.
   * A device of the same address that was there before is closed with `replaced`, on any node.
   * @throws Fault UNAVAILABLE when the bus cannot be reached
   */
  attach(device: Device): Promise<() => Promise<void>>;
  /**
   * Accepts a signal: it stands in the recipient's inbox when this resolves, with the cursor.
   * Nobody connected is no error.
   * @throws Fault NOT_FOUND for a recipient of another application or none that exists, FULL for a
   * call of more than 4 parties, UNAVAILABLE when the inbox cannot be reached
   */
  send(door: "graphql" | "xmpp" | "rest", signal: Signal): Promise<string>;
  /**
   * Passes a stanza that is no call signal to the recipient's connected devices; nothing is kept.
   * @throws Fault NOT_FOUND as for {@link send}
   */
  relay(from: Party, to: Party, xml: string): Promise<void>;
  /** Closes every device of this node. */
  drain(): Promise<void>;
}

/** Parties of a peer-to-peer call at most (interface.md "Limits"). */
export const CALL_PARTIES = 4;

/** What the router stands on. */
export interface RouterParts {
  bus: Bus;
  log: Log;
  metrics: Metrics;
  /** Whether the user exists; asked for every signal, so it answers from memory where it can. */
  userExists(applicationId: number, userId: number): Promise<boolean>;
}

/** Name of a user's inbox, and of the channel of notices about it. */
export function inboxOf(party: Party): string {
  return `user:${party.applicationId}:${party.userId}`;
}

/** Opens the router of one node. */
export function openRouter(parts: RouterParts): Router {
  const { bus, metrics } = parts;
  const node = newId();
  const inboxes = new Map<string, Inbox>();

  async function checkRecipient(from: Party, to: Party): Promise<void> {
    const reachable =
      from.applicationId === to.applicationId &&
      (await parts.userExists(to.applicationId, to.userId));
    if (!reachable) throw new Fault("NOT_FOUND", "There is no such user");
  }

  return {
    async attach(device) {
      const name = inboxOf(device.party);
      const inbox =
        inboxes.get(name) ??
        new Inbox({ ...parts, name, node, onEmpty: () => void inboxes.delete(name) });
      inboxes.set(name, inbox);
      return inbox.attach(device);
    },

    async send(door, signal) {
      if (signal.type === "call" && countParties(signal) > CALL_PARTIES) {
        throw new Fault("FULL", `A peer-to-peer call has at most ${CALL_PARTIES} parties`);
      }
      await checkRecipient(signal.from, signal.to);
      const cursor = await bus.append(inboxOf(signal.to), JSON.stringify(signal));
      metrics.signals.inc({ door, type: knownType(signal.type) });
      return cursor;
    },

    async relay(from, to, xml) {
      await checkRecipient(from, to);
      await bus.publish(inboxOf(to), JSON.stringify({ resource: to.resource, xml }));
    },

    async drain() {
      for (const inbox of inboxes.values()) inbox.closeAll("draining");
    },
  };
}

/** Distinct users that a `call` names, judged from the signal alone. */
function countParties(signal: Signal): number {
  const parties = new Set([String(signal.to.userId), ...(signal.opponentIds ?? [])]);
  parties.add(signal.callerId ?? String(signal.from.userId));
  return parties.size;
}

/** A label that a client cannot make new ones of. */
function knownType(type: string): string {
  return (SIGNAL_TYPES as readonly string[]).includes(type) ? type : "other";
}
