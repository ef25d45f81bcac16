import { z } from "zod";
import { flag, hostname, integer, portOrOff, url, type Variable, variable } from "./variable";

/** A key of janus.jcfg: any text but an example's. */
const janusKey = z
  .string()
  .refine(
    (text) => text.length >= 16 && !/^(?:change|replace|janusrocks|supersecret)/i.test(text),
    "must have at least 16 characters and must not be an example's (openssl rand -hex 24)",
  );

/** Which media server serves conferences, and where their clients connect (docs/OPERATIONS.md). */
export const CONFERENCE_VARIABLES = {
  CONFERENCES: variable(
    flag,
    "on",
    "Whether there are conferences: on or off. With off, what creates or changes one, joins, invites, admits guests or uses media is UNSUPPORTED, and the endpoint of legacy clients is closed; lists, history and export stay, and what is open can be closed.",
  ),
  RTC_PORT: variable(
    integer(0, 65_535),
    "10000",
    "First UDP port of the embedded media server, for the media of all conferences; 0 for any free ports. It uses RTC_PROCESSES ports from there, and two more: with four processes 10000 to 10005. Open them in the firewall. With JANUS_URL they are not used.",
  ),
  RTC_PROCESSES: variable(
    integer(1, 16),
    undefined,
    "Number of processes of the embedded media server among which conferences are spread, one port each; by default one for each core, at most 4. The two further ports are those of processes for conferences that may have ended theirs.",
  ),
  RTC_BIND_ADDRESS: variable(
    hostname,
    undefined,
    "Address that the embedded media server binds its ports to; by default HOST.",
  ),
  RTC_ANNOUNCED_ADDRESS: variable(
    hostname,
    undefined,
    "Address that clients of the embedded media server connect to, if it is not one of the machine's own: the public address behind NAT.",
  ),
  CONFERENCE_WS_PORT: variable(
    portOrOff,
    "8989",
    "Port of the endpoint of legacy conference clients, the Janus protocol over WebSocket (ws:); 0 for any free port, off for none.",
  ),
  CONFERENCE_WSS_PORT: variable(
    portOrOff,
    "8990",
    "Port of the endpoint of legacy conference clients with TLS (wss:), with the certificate of the chat endpoint.",
  ),
  JANUS_URL: variable(
    url("ws:", "wss:"),
    undefined,
    "WebSocket URL of a Janus server, ws://janus.internal:8188, which then serves conferences in place of the embedded media server. A ws: connection is not encrypted: use loopback or a private network only.",
  ),
  JANUS_API_SECRET: variable(
    janusKey,
    undefined,
    "Required with JANUS_URL: api_secret of janus.jcfg.",
    true,
  ),
  JANUS_ADMIN_KEY: variable(
    janusKey,
    undefined,
    "Required with JANUS_URL: admin_key of janus.plugin.videoroom.jcfg.",
    true,
  ),
  JANUS_ADMIN_URL: variable(
    url("ws:", "wss:"),
    undefined,
    "WebSocket URL of that server's Admin API, ws://janus.internal:7188, for participants' statistics and for pausing video on poor networks; without it there is neither.",
  ),
  JANUS_ADMIN_SECRET: variable(
    janusKey,
    undefined,
    "Required with JANUS_ADMIN_URL: admin_secret of janus.jcfg.",
    true,
  ),
} satisfies Record<string, Variable>;
