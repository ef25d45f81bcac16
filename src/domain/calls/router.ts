import type { Clock } from "../../core/clock";
import { Fault } from "../../core/errors";
import type { Log } from "../../core/log";
import type { Metrics } from "../../core/metrics";
import { newId } from "../../core/random";
import type { ApplicationCounters } from "../../core/statistics/application-counters";
import { carriedTrace, inSpan, isTraced } from "../../core/tracing";
import type { AppendOptions, Bus } from "../../platform/bus/bus";
import type { SentSignal } from "./history/call-event";
import { inboxOf } from "./inbox/bus-keys";
import { isDeviceConnected } from "./inbox/device-presence";
import { Inbox, type StanzaNotice } from "./inbox/inbox";
import { encodeContent } from "./inbox/inbox-log";
import { inboxAttributes } from "./inbox/inbox-spans";
import { recordAnswer } from "./inbox/record-answer";
import type { Attachment, SignalSubscriber, StartPosition } from "./inbox/subscriber";
import { countNewCall, type NewCallDeps } from "./new-call-limit";
import type { SenderLimits } from "./sender-limits";
import type { Party, Signal } from "./signals/signal";
import type { SignalSizeLimit } from "./signals/signal-size";
import { isCallControl, isKnownType } from "./signals/signal-types";

/** Routes every signal, from any protocol, to the connected devices of its recipient. */
export interface Router {
  /**
   * Attaches a subscriber to its user's inbox. Resolves once all later signals are certain to reach it. What it missed is delivered
   * first, with back-pressure, possibly after this has resolved. An earlier chat stream with the same address
   * is closed with `replaced`, on any node.
   * @throws Fault INVALID on `after` for an expired cursor, LIMITED when the user has too many subscribers
   * on this node, UNAVAILABLE when the bus cannot be reached
   */
  attach(subscriber: SignalSubscriber, start?: StartPosition): Promise<Attachment>;
  /** Resolves if a device of a user could be attached now. @throws Fault UNAVAILABLE when the bus cannot be reached */
  checkReachable(user: Party): Promise<void>;
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
   * Delivers a signal that the service sends on behalf of a user who did not: to the recipient's inbox and to the attached
   * chat server. It counts against no limit of the sender, and is no event of the call's record.
   * @throws Fault UNAVAILABLE when the inbox or the chat server cannot be reached
   */
  sendForService(signal: Signal): Promise<void>;
  /**
   * Passes a stanza other than a call signal to the recipient's connected devices, without storing it.
   * @throws Fault TOO_LARGE, NOT_FOUND, LIMITED as for {@link send}
   */
  relay(from: Party, to: Party, xml: string): Promise<void>;
}

/** Maximum number of parties of a peer-to-peer call (docs/COMPATIBILITY.md). */
export const CALL_PARTIES_MAX = 4;

/** The dependencies of the router. */
export interface RouterDeps {
  bus: Bus;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  counters: ApplicationCounters;
  /** Whether the user exists. Called for every signal, so it should be cached. */
  userExists(applicationId: number, userId: number): Promise<boolean>;
  /** Whether an application's chat clients receive a `hangUp` when another device answers. */
  isAnsweredElsewhereEnabled(applicationId: number): Promise<boolean>;
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
  /** Counts a new call of a user, see {@link countNewCall}; unlimited when omitted. */
  countNewCall?: NewCallDeps["countNewCall"];
}

const CHAT_SERVER_ATTRIBUTES = {
  "messaging.system": "xmpp",
  "messaging.operation.name": "send",
  "messaging.operation.type": "send",
} as const;

/** Opens the router of one node. */
export function openRouter(deps: RouterDeps): Router {
  const { bus, metrics, counters } = deps;
  const node = newId();
  const inboxes = new Map<string, Inbox>();

  async function checkRecipient(from: Party, to: Party): Promise<void> {
    const reachable =
      from.applicationId === to.applicationId &&
      (await deps.userExists(to.applicationId, to.userId));
    if (!reachable) throw new Fault("NOT_FOUND", "There is no such user");
  }

  // A chat server's clients are not subscribers of the inbox, so with one every user and device counts as connected.
  const isChatServerAttached = deps.forwardToChatServer !== undefined;
  const answerDeps = {
    ...deps,
    isDeviceConnected: async (user: Party, device: string) =>
      isChatServerAttached || isDeviceConnected(bus, user, device),
  };

  const forward = (signal: Signal) =>
    inSpan("send chat-server", "producer", CHAT_SERVER_ATTRIBUTES, () =>
      deps.forwardToChatServer?.(signal),
    );

  return {
    async attach(subscriber, start) {
      const name = inboxOf(subscriber.party);
      const inbox =
        inboxes.get(name) ??
        new Inbox({ ...deps, name, node, onEmpty: () => void inboxes.delete(name) });
      inboxes.set(name, inbox);
      return inbox.attach(subscriber, start);
    },

    async checkReachable(user) {
      await bus.haveSubscribers([inboxOf(user)]);
    },

    async send(protocol, signal) {
      deps.sizes?.checkSignal(signal);
      const body = encodeContent(signal);
      deps.limits?.take(signal.from, Buffer.byteLength(body));
      if (signal.type === "call" && countParties(signal) > CALL_PARTIES_MAX) {
        throw new Fault("FULL", `A peer-to-peer call has at most ${CALL_PARTIES_MAX} parties`);
      }
      await checkRecipient(signal.from, signal.to);
      if (signal.type === "call" && deps.countNewCall) {
        await countNewCall({ bus, countNewCall: deps.countNewCall }, signal);
      }
      const answered = recordAnswer(answerDeps, signal);
      if (signal.type === "accept") await answered;
      const append = async () => {
        const options: AppendOptions = {
          sender: String(signal.from.userId),
          highPriority: isCallControl(signal),
        };
        const trace = carriedTrace();
        const { cursor, hasSubscribers, usage } = await bus.append(
          inboxOf(signal.to),
          trace === undefined ? body : encodeContent(signal, trace),
          options,
        );
        deps.limits?.noteUsage(usage);
        metrics.inboxUsage.set(usage);
        const { ofUser } = await answered;
        // The signal is stored, even if forwarding it to the chat server fails.
        deps.observe?.({
          protocol,
          signal,
          cursor,
          hasSubscribers: hasSubscribers || isChatServerAttached,
          ofUser,
        });
        return cursor;
      };
      const [cursor] = await Promise.all([
        isTraced() ? inSpan("send inbox", "producer", attributesOf(signal), append) : append(),
        protocol === "xmpp" || !isChatServerAttached ? undefined : forward(signal),
        answered,
      ]);
      metrics.signals.inc({ protocol, type: knownType(signal.type) });
      counters.count(signal.from.applicationId, "signals");
      return cursor;
    },

    async sendForService(signal) {
      const options = { sender: String(signal.from.userId), highPriority: true };
      await Promise.all([
        inSpan("send inbox", "producer", attributesOf(signal), () =>
          bus.append(inboxOf(signal.to), encodeContent(signal, carriedTrace()), options),
        ),
        deps.forwardToChatServer?.(signal),
      ]);
    },

    async relay(from, to, xml) {
      deps.sizes?.checkStanza(xml);
      deps.limits?.take(from, Buffer.byteLength(xml));
      await checkRecipient(from, to);
      await inSpan("send stanza", "producer", STANZA_ATTRIBUTES, () => {
        const notice: StanzaNotice = { resource: to.resource, xml, trace: carriedTrace() };
        return bus.publish(inboxOf(to), JSON.stringify(notice));
      });
    },
  };
}

const STANZA_ATTRIBUTES = inboxAttributes("send");

/** The attributes of the span in which a signal is sent. */
function attributesOf(signal: Signal) {
  return { ...STANZA_ATTRIBUTES, "signalbox.signal.type": knownType(signal.type) };
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
