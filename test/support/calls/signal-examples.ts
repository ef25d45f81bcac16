import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SignalData } from "./graphql-signals";

/** The users with ids 42, 43 and 44 in the examples of schema/xmpp. */
export interface ExampleUsers {
  caller: number;
  callee: number;
  third: number;
}

/** A signal as a stanza and as the equivalent input of sendSignal. */
export interface SignalExample {
  name: string;
  typename: string;
  /** The stanza with the given addresses and users. */
  stanza(from: string, to: string, users: ExampleUsers): string;
  /** The input of sendSignal, without its recipient. */
  input(users: ExampleUsers): Record<string, unknown>;
}

const FOLDER = join(__dirname, "../../../schema/xmpp");
const SESSION = "1605784922547";

function stanza(text: string, from: string, to: string, users: ExampleUsers): string {
  const people: Record<string, number> = { 42: users.caller, 43: users.callee, 44: users.third };
  return text
    .trim()
    .replace(/ from="[^"]*"/, ` from="${from}"`)
    .replace(/ to="[^"]*"/, ` to="${to}"`)
    .replace(/>(4[234])</g, (_all, id: string) => `>${people[id]}<`);
}

/** The session description of an example, with CR LF line ends. */
function sdpOf(file: string): string {
  const [, lines = ""] = /<sdp>([^<]*)<\/sdp>/.exec(readFileSync(join(FOLDER, file), "utf8")) ?? [];
  return lines.replaceAll("&#13;", "\r");
}

function example(
  file: string,
  typename: string,
  id: string,
  fields: (users: ExampleUsers) => Record<string, unknown>,
): SignalExample {
  const text = readFileSync(join(FOLDER, file), "utf8");
  return {
    name: file,
    typename,
    stanza: (from, to, users) => stanza(text, from, to, users),
    input: (users) => ({ id, callId: SESSION, ...fields(users) }),
  };
}

const UNKNOWN = `<message xmlns="jabber:client" from="" to="" type="headline" id="5fb64d5a1f0b6f0001000009">
  <extraParams>
    <moduleIdentifier>WebRTCVideoChat</moduleIdentifier>
    <signalType>screenShare</signalType>
    <sessionID>${SESSION}</sessionID>
    <platform>node</platform>
    <state><window>1</window><audio/></state>
  </extraParams>
</message>`;

/** The eight signals of the protocol, and an unknown one. */
export const EXAMPLES: SignalExample[] = [
  example("call.xml", "CallSignal", "5fb64d5a1f0b6f0001000001", ({ caller, callee, third }) => ({
    signalType: "call",
    callType: "VIDEO",
    sdp: sdpOf("call.xml"),
    platform: "Web",
    callerId: String(caller),
    opponentIds: [String(callee), String(third)],
    userInfo: {
      topic: "Planning & review",
      room: { name: "Blue", floor: "3" },
      tag: ["urgent", "team"],
      note: "",
    },
    extra: [
      { name: "avatar", text: "https://cdn.example/avatars/42.png?size=96&v=2" },
      { name: "full_name", text: "Zoë O'Neill" },
    ],
  })),
  example("accept.xml", "AcceptSignal", "5fb64d5c1f0b6f0001000002", () => ({
    signalType: "accept",
    sdp: sdpOf("accept.xml"),
    platform: "Android",
    userInfo: { full_name: "Bo Lindqvist" },
  })),
  example("reject.xml", "RejectSignal", "5fb64d5c1f0b6f0001000003", () => ({
    signalType: "reject",
    platform: "iOS",
    userInfo: { busy: "true" },
  })),
  example("hang-up.xml", "HangUpSignal", "5fb64d701f0b6f0001000004", () => ({
    signalType: "hangUp",
    userInfo: { reason: "done" },
  })),
  example("ice-candidates.xml", "IceCandidatesSignal", "5fb64d5b1f0b6f0001000005", () => ({
    signalType: "iceCandidates",
    iceCandidates: [
      {
        // Empty in the stanza, which means 0.
        sdpMLineIndex: 0,
        sdpMid: "0",
        candidate:
          "candidate:842163049 1 udp 1677729535 198.51.100.7 46154 typ srflx raddr 10.0.0.5 rport 46154 generation 0 ufrag F7gI network-cost 999",
      },
      {
        sdpMLineIndex: 1,
        sdpMid: "1",
        candidate:
          "candidate:3098175849 1 udp 33562367 203.0.113.9 61422 typ relay raddr 198.51.100.7 rport 46154 generation 0 ufrag F7gI",
      },
    ],
  })),
  example("update.xml", "UpdateSignal", "5fb64d601f0b6f0001000006", ({ callee }) => ({
    signalType: "update",
    parameters: { videoEnabled: "false", layout: { mode: "grid", pinned: String(callee) } },
  })),
  example("ice-restart.xml", "IceRestartSignal", "5fb64d651f0b6f0001000007", () => ({
    signalType: "iceRestart",
    sdp: sdpOf("ice-restart.xml"),
  })),
  example("ice-restart-accept.xml", "IceRestartAcceptSignal", "5fb64d661f0b6f0001000008", () => ({
    signalType: "iceRestartAccept",
    sdp: sdpOf("ice-restart-accept.xml"),
  })),
  {
    name: "a signal that the protocol does not know",
    typename: "OtherSignal",
    stanza: (from, to, users) => stanza(UNKNOWN, from, to, users),
    input: () => ({
      id: "5fb64d5a1f0b6f0001000009",
      signalType: "screenShare",
      callId: SESSION,
      platform: "node",
      extra: [{ name: "state", children: [{ name: "window", text: "1" }, { name: "audio" }] }],
    }),
  },
];

interface TreeOfElement {
  attributes?: Record<string, string>;
  children?: TreeOfElement[];
  [key: string]: unknown;
}

function elementInput({ attributes, children, ...rest }: TreeOfElement): object {
  return {
    ...rest,
    ...(attributes && {
      attributes: Object.entries(attributes).map(([name, value]) => ({ name, value })),
    }),
    ...(children && { children: children.map(elementInput) }),
  };
}

const elementInputs = (list: { tree: TreeOfElement }[]) =>
  list.map(({ tree }) => elementInput(tree));

function without(fields: Record<string, unknown>): Record<string, unknown> {
  const empty = (value: unknown) =>
    value === null || value === undefined || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !empty(value)));
}

/** Input of sendSignal that forwards a received signal, without its recipient. */
export function forwardedInput(signal: SignalData): Record<string, unknown> {
  const { __typename, cursor, from, to, extra, iceCandidates, ...fields } = signal;
  return {
    ...fields,
    extra: elementInputs(extra),
    iceCandidates:
      iceCandidates?.map((candidate: SignalData) => ({
        ...candidate,
        extra: elementInputs(candidate.extra),
      })) ?? null,
  };
}

/** {@link forwardedInput} without unset fields, as written by a client that sends the signal itself. */
export function asInput(signal: SignalData): Record<string, unknown> {
  const { opponentIds, iceCandidates, ...fields } = forwardedInput(signal);
  return {
    ...without(fields),
    // An empty list of candidates is significant: it is an element.
    ...(opponentIds !== null && { opponentIds }),
    ...(Array.isArray(iceCandidates) && { iceCandidates: iceCandidates.map(without) }),
  };
}

/** An example as a GraphQL client's signal is written: an index that the original leaves empty is 0. */
export function writtenByGraphql(stanza: string): string {
  return stanza.replaceAll("<sdpMLineIndex/>", "<sdpMLineIndex>0</sdpMLineIndex>");
}
