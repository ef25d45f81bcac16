import { randomUUID } from "node:crypto";
import type { XmlNode } from "@xmpp/client";
import { expectEqual, expectThat } from "./check";
import { formatJson, formatStanza } from "./format";
import type { SignalInput, SignalPayload } from "./graphql-client";
import type { Participants } from "./participants";
import type { Pane } from "./printer";
import type { StepResult } from "./step-runner";
import { type Elements, readElements } from "./xmpp-client";

/** A signal without its addresses and its id. */
export type PayloadContent = Omit<SignalPayload, "id" | "from" | "to">;

/**
 * Sends a stanza as Alice and expects it on Bob's subscription.
 * @param to Bob's address: all of his devices, or one
 * @param expected the payload that Bob must receive
 */
export async function sendStanza(
  { alice, bob }: Participants,
  to: { jid: string; device: string | null },
  elements: Elements,
  expected: PayloadContent,
  signal: AbortSignal,
): Promise<StepResult & { payload: SignalPayload }> {
  const stanza = alice.peer.signal(to.device ? `${to.jid}/${to.device}` : to.jid, elements);
  const { id } = stanza.attrs;
  const arrives = bob.peer.received
    .take(expected.signalType, (payload) => payload.id === id, signal)
    .then((payload) => ({ payload, at: performance.now() }));
  const sentAt = performance.now();
  const [{ payload, at }] = await Promise.all([arrives, alice.peer.send(stanza)]);

  const [, device] = alice.peer.jid.split("/");
  const from = { userId: String(alice.id), device };
  const addresses = { id, from, to: { userId: String(bob.id), device: to.device } };
  expectEqual(expected.signalType, { ...expected, ...addresses }, payload);
  return {
    payload,
    signalMs: at - sentAt,
    panes: [stanzaPane("stanza that Alice sends", stanza), payloadPane(payload)],
  };
}

/**
 * Sends a signal as Bob and expects a stanza at Alice.
 * @param input addressed to Alice
 * @param expected the elements of extraParams that Alice must receive
 */
export async function sendInput(
  { alice, bob }: Participants,
  input: SignalInput,
  expected: Elements,
  signal: AbortSignal,
): Promise<StepResult & { stanza: XmlNode }> {
  const id = randomUUID();
  const { signalType, to } = input;
  const arrives = alice.peer.received
    .take(signalType, (stanza) => stanza.attrs.id === id, signal)
    .then((stanza) => ({ stanza, at: performance.now() }));
  const sent = { ...input, id };
  const sentAt = performance.now();
  const [{ stanza, at }] = await Promise.all([arrives, bob.peer.send(sent)]);

  const { attrs } = stanza;
  const [sender, device] = attrs.from?.split("/") ?? [];
  expectEqual(`${signalType}.from`, bob.jid, sender);
  expectThat(Boolean(device), `${signalType}.from`, "the address of a device", attrs.from);
  expectEqual(`${signalType}.to`, to.device ? `${alice.jid}/${to.device}` : alice.jid, attrs.to);
  expectEqual(`${signalType}.type`, "headline", attrs.type);
  const content = { moduleIdentifier: "WebRTCVideoChat", ...expected };
  expectEqual(signalType, content, readElements(stanza));
  return {
    stanza,
    signalMs: at - sentAt,
    panes: [
      { heading: "GraphQL input that Bob sends", lines: (width) => formatJson(sent, width) },
      stanzaPane("stanza that Alice gets", stanza),
    ],
  };
}

/** A pane with a payload of Bob's subscription. */
export function payloadPane(payload: SignalPayload): Pane {
  return {
    heading: "GraphQL payload that Bob gets",
    lines: (width) => formatJson(payload, width),
  };
}

function stanzaPane(heading: string, stanza: XmlNode): Pane {
  return { heading: `XMPP ${heading}`, lines: (width) => formatStanza(stanza, width) };
}
