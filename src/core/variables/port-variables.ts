/** Variables of the listening TCP ports, in the order in which PORT_BASE numbers them. */
export const PORT_VARIABLES = [
  "PORT",
  "XMPP_WS_PORT",
  "XMPP_WSS_PORT",
  "XMPP_TCP_PORT",
  "XMPP_TLS_PORT",
  "CONFERENCE_WS_PORT",
  "CONFERENCE_WSS_PORT",
] as const;

/** A variable of a listening TCP port. */
export type PortVariable = (typeof PORT_VARIABLES)[number];

/** All variables that PORT_BASE moves. The UDP ports come last, because their number varies. */
const MOVED: readonly string[] = [...PORT_VARIABLES, "RTC_PORT"];

/** Maximum of PORT_BASE: after the moved ports there are up to 17 more UDP ports (RTC_PROCESSES and two more). */
export const PORT_BASE_MAX = 65_535 - (MOVED.length - 1) - 17;

/** The port, as text, that a base gives to a variable; undefined for a variable that it does not move. */
export function portFromBase(base: number, variable: string): string | undefined {
  const offset = MOVED.indexOf(variable);
  return offset < 0 ? undefined : String(base + offset);
}
