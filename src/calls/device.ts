import type { Party, Signal } from "./signal";

/** What reaches a device: a call signal with its place in the inbox, or another stanza as it is. */
export type Parcel =
  | { kind: "signal"; cursor: string; signal: Signal }
  | { kind: "stanza"; xml: string };

/** A connected client of a user: a chat stream, or a GraphQL subscriber. */
export interface Device {
  party: Required<Party>;
  door: "graphql" | "xmpp";
  /** Takes a parcel; must not throw, and bounds what it keeps. */
  receive(parcel: Parcel): void;
  close(reason: "replaced" | "ended" | "draining"): void;
}
