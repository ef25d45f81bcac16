import type { Bus } from "../bus/bus";
import { Fault } from "../core/errors";
import type { Log } from "../core/log";
import type { Metrics } from "../core/metrics";
import { newId } from "../core/random";
import type { Attachment, Device, Start } from "./device";
import { claimAnswer } from "./inbox/claim";
import { Inbox } from "./inbox/inbox";
import { laneTo } from "./inbox/lanes";
import { writeContent } from "./inbox/mark";
import type { SentSignal } from "./record/call-event";
import type { SenderLimits } from "./sender-limits";
import { inboxOf, isLasting, type Party, SIGNAL_TYPES, type Signal } from "./signal";
import type { SizeRule } from "./signal-size";

/** The way every signal takes, from whichever door, to every connected device it is meant for. */
export interface Router {
  /**
   * Connects a device; resolves once signals sent from then on reach it. What it missed is handed to
   * it first, at its own pace, also after this has resolved.
   * A chat device of the same address that was there before is closed with `replaced`, on any node.
   * @throws Fault INVALID on `after` for a cursor that nothing can go on from, LIMITED when as many
   * devices of the user are connected here as may be, UNAVAILABLE when the bus cannot be reached
   */
  attach(device: Device, start?: Start): Promise<Attachment>;
  /**
   * Accepts a signal: it stands in the recipient's inbox when this resolves, with the cursor, and a
   * chat server that this service is attached to has it too. Nobody connected is no error.
   * @throws Fault TOO_LARGE (signal-size.ts), NOT_FOUND for a recipient of another application or none
   * that exists, FULL for a call of more than 4 parties, CONFLICT for an `accept` when another device of the sender has
   * accepted, LIMITED when the sender sends too much or the inbox has no room, UNAVAILABLE when the inbox or the
   * chat server cannot be reached or all inboxes together are full
   */
  send(door: "graphql" | "xmpp" | "rest", signal: Signal): Promise<string>;
  /**
   * Passes a stanza that is no call signal to the recipient's connected devices; nothing is kept.
   * @throws Fault TOO_LARGE, NOT_FOUND, LIMITED as for {@link send}
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
  /** Whether chat clients of an application are told of an answer on another device by a `hangUp`. */
  answeredElsewhere(applicationId: number): Promise<boolean>;
  /** Is told of every signal that stands in an inbox; must neither throw nor take time. */
  observe?(sent: SentSignal): void;
  /**
   * Brings a signal to the recipient's devices at a chat server, where there is one; what came from
   * there is not brought back. @throws Fault UNAVAILABLE
   */
  passToChatServer?(signal: Signal): Promise<void>;
  /** How large a signal or a stanza may be; none where nobody reads it as XML. */
  sizes?: SizeRule;
  /** How much a user may send; any when left out. */
  limits?: SenderLimits;
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
    async attach(device, start) {
      const name = inboxOf(device.party);
      const inbox =
        inboxes.get(name) ??
        new Inbox({ ...parts, name, node, onEmpty: () => void inboxes.delete(name) });
      inboxes.set(name, inbox);
      return inbox.attach(device, start);
    },

    async send(door, signal) {
      parts.sizes?.checkSignal(signal);
      const body = writeContent(signal);
      parts.limits?.take(signal.from, Buffer.byteLength(body));
      if (signal.type === "call" && countParties(signal) > CALL_PARTIES) {
        throw new Fault("FULL", `A peer-to-peer call has at most ${CALL_PARTIES} parties`);
      }
      await checkRecipient(signal.from, signal.to);
      const claim = claimAnswer(parts, signal);
      if (signal.type === "accept") await claim;
      const append = async () => {
        const share = { sender: String(signal.from.userId), lasting: isLasting(signal) };
        const lane = laneTo(signal.to);
        const { cursor, heard, fullness } = await bus.append(inboxOf(signal.to), body, lane, share);
        parts.limits?.note(fullness);
        metrics.inboxFullness.set(fullness);
        // Who is connected at a chat server is not known here.
        const reached = heard || parts.passToChatServer !== undefined;
        // It stands in the inbox, whatever becomes of the rest.
        parts.observe?.({ door, signal, cursor, heard: reached });
        return cursor;
      };
      const [cursor] = await Promise.all([
        append(),
        door === "xmpp" ? undefined : parts.passToChatServer?.(signal),
        claim,
      ]);
      metrics.signals.inc({ door, type: knownType(signal.type) });
      return cursor;
    },

    async relay(from, to, xml) {
      parts.sizes?.checkStanza(xml);
      parts.limits?.take(from, Buffer.byteLength(xml));
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
