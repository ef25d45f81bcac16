import type { Bus, SenderShare } from "../bus/bus";
import { Fault } from "../core/errors";
import type { Log } from "../core/log";
import type { Metrics } from "../core/metrics";
import { newId } from "../core/random";
import type { SentSignal } from "./history/call-event";
import { claimAnswer } from "./inbox/claim-answer";
import { Inbox } from "./inbox/inbox";
import { encodeContent } from "./inbox/inbox-entry";
import type { SenderLimits } from "./sender-limits";
import type { Attachment, Device, StartPosition } from "./signals/device";
import { isCallControl, isKnownType } from "./signals/known-types";
import { inboxOf, type Party, type Signal } from "./signals/signal";
import type { SignalSizeLimit } from "./signals/signal-size";

/** Routes every signal, from any protocol, to the connected devices of its recipient. */
export interface Router {
  /**
   * Connects a device. Resolves once all later signals are certain to reach it. What it missed is delivered
   * first, with back-pressure, possibly after this has resolved. An earlier chat device with the same address
   * is closed with `replaced`, on any node.
   * @throws Fault INVALID on `after` for an expired cursor, LIMITED when too many devices of the user are
   * connected to this node, UNAVAILABLE when the bus cannot be reached
   */
  attach(device: Device, start?: StartPosition): Promise<Attachment>;
  /**
   * Accepts a signal. Resolves with its cursor once it is in the recipient's inbox and was forwarded to the
   * attached chat server, if any. It is no error if the recipient is not connected.
   * @throws Fault TOO_LARGE (signal-size.ts), NOT_FOUND for a recipient that does not exist or belongs to
   * another application, FULL for a call of more than {@link CALL_PARTIES_MAX} parties, CONFLICT for an
   * `accept` after another device of the sender has accepted, LIMITED when the sender exceeds a rate limit or
   * the inbox is full, UNAVAILABLE when the inbox or the chat server cannot be reached or all inboxes
   * together are full
   */
  send(protocol: "graphql" | "xmpp" | "rest", signal: Signal): Promise<string>;
  /**
   * Passes a stanza other than a call signal to the recipient's connected devices, without storing it.
   * @throws Fault TOO_LARGE, NOT_FOUND, LIMITED as for {@link send}
   */
  relay(from: Party, to: Party, xml: string): Promise<void>;
  /** Closes every device on this node. */
  drain(): Promise<void>;
}

/** Maximum number of parties of a peer-to-peer call (docs/COMPATIBILITY.md). */
export const CALL_PARTIES_MAX = 4;

/** The dependencies of the router. */
export interface RouterDeps {
  bus: Bus;
  log: Log;
  metrics: Metrics;
  /** Whether the user exists. Called for every signal, so it should be cached. */
  userExists(applicationId: number, userId: number): Promise<boolean>;
  /** Whether an application's chat clients receive a `hangUp` when another device answers. */
  answeredElsewhere(applicationId: number): Promise<boolean>;
  /** Called for every signal that was written to an inbox; must not throw or block. */
  observe?(sent: SentSignal): void;
  /**
   * Forwards a signal to the recipient's devices at the attached chat server. Not called for signals over
   * XMPP, which the chat server already has. @throws Fault UNAVAILABLE
   */
  forwardToChatServer?(signal: Signal): Promise<void>;
  /** The maximum size of signals and stanzas; unlimited when omitted. */
  sizes?: SignalSizeLimit;
  /** The rate limits of senders; unlimited when omitted. */
  limits?: SenderLimits;
}

/** Opens the router of one node. */
export function openRouter(deps: RouterDeps): Router {
  const { bus, metrics } = deps;
  const node = newId();
  const inboxes = new Map<string, Inbox>();

  async function checkRecipient(from: Party, to: Party): Promise<void> {
    const reachable =
      from.applicationId === to.applicationId &&
      (await deps.userExists(to.applicationId, to.userId));
    if (!reachable) throw new Fault("NOT_FOUND", "There is no such user");
  }

  return {
    async attach(device, start) {
      const name = inboxOf(device.party);
      const inbox =
        inboxes.get(name) ??
        new Inbox({ ...deps, name, node, onEmpty: () => void inboxes.delete(name) });
      inboxes.set(name, inbox);
      return inbox.attach(device, start);
    },

    async send(protocol, signal) {
      deps.sizes?.checkSignal(signal);
      const body = encodeContent(signal);
      deps.limits?.take(signal.from, Buffer.byteLength(body));
      if (signal.type === "call" && countParties(signal) > CALL_PARTIES_MAX) {
        throw new Fault("FULL", `A peer-to-peer call has at most ${CALL_PARTIES_MAX} parties`);
      }
      await checkRecipient(signal.from, signal.to);
      const claim = claimAnswer(deps, signal);
      if (signal.type === "accept") await claim;
      const append = async () => {
        const share: SenderShare = {
          sender: String(signal.from.userId),
          highPriority: isCallControl(signal),
        };
        const { cursor, hasSubscribers, usage } = await bus.append(inboxOf(signal.to), body, share);
        deps.limits?.noteUsage(usage);
        metrics.inboxUsage.set(usage);
        // A chat server's clients are not subscribers of the inbox, so with one the recipient counts as connected.
        const isChatServerAttached = deps.forwardToChatServer !== undefined;
        // The signal is stored, even if forwarding it to the chat server fails.
        deps.observe?.({
          protocol,
          signal,
          cursor,
          hasSubscribers: hasSubscribers || isChatServerAttached,
        });
        return cursor;
      };
      const [cursor] = await Promise.all([
        append(),
        protocol === "xmpp" ? undefined : deps.forwardToChatServer?.(signal),
        claim,
      ]);
      metrics.signals.inc({ protocol, type: knownType(signal.type) });
      return cursor;
    },

    async relay(from, to, xml) {
      deps.sizes?.checkStanza(xml);
      deps.limits?.take(from, Buffer.byteLength(xml));
      await checkRecipient(from, to);
      await bus.publish(inboxOf(to), JSON.stringify({ resource: to.resource, xml }));
    },

    async drain() {
      for (const inbox of inboxes.values()) inbox.closeAll("draining");
    },
  };
}

/** Number of distinct users that a `call` names. */
function countParties(signal: Signal): number {
  const parties = new Set([String(signal.to.userId), ...(signal.opponentIds ?? [])]);
  parties.add(signal.callerId ?? String(signal.from.userId));
  return parties.size;
}

/** The type as a metric label of bounded cardinality. */
function knownType(type: string): string {
  return isKnownType(type) ? type : "other";
}
