import { isIP } from "node:net";
import { isLoopback } from "../../../core/client-address";
import type { Config } from "../../../core/config";
import { isPrivateAddress } from "../../../platform/network/private-address";
import { inspectJanus } from "../../conferences/engine/janus-server/inspect-janus";
import { janusAdmin } from "../../conferences/open-engine";
import { isExposed } from "./exposure";
import { type Finding, failure, ok, skipped, warning } from "./finding";

const CHECK = "media server";

/**
 * Checks the Janus server of JANUS_URL: its keys and configuration, and the Admin API of JANUS_ADMIN_URL.
 * Without one, checks the address of the embedded media server.
 */
export async function checkMediaServer(config: Config): Promise<Finding[]> {
  const { JANUS_URL: url, JANUS_API_SECRET: apiSecret, JANUS_ADMIN_KEY: adminKey } = config;
  if (!config.CONFERENCES) return [skipped(CHECK, "CONFERENCES is off")];
  if (url === undefined || apiSecret === undefined || adminKey === undefined) {
    return [checkEmbedded(config)];
  }
  try {
    const admin = janusAdmin(config);
    const { version, weaknesses } = await inspectJanus({ url, apiSecret, adminKey }, admin);
    const found = weaknesses.map(({ detail, fix }) => warning(CHECK, detail, fix));
    const detail = admin ? "the keys, and has an Admin API" : "the keys";
    return [ok(CHECK, `Janus ${version} accepts ${detail}`), ...found];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const fix = "Start Janus with the files of deploy/janus, or correct JANUS_URL and its keys.";
    return [failure(CHECK, `cannot be used: ${reason}`, fix)];
  }
}

/** Clients send media to the address that the embedded media server offers; a proxy does not forward it. */
function checkEmbedded(config: Config): Finding {
  const { HOST, BASE_URL, RTC_BIND_ADDRESS, RTC_ANNOUNCED_ADDRESS } = config;
  const address = RTC_ANNOUNCED_ADDRESS ?? RTC_BIND_ADDRESS ?? HOST;
  const isPublic = BASE_URL !== undefined && !isInside(new URL(BASE_URL).hostname);
  if (isExposed(config) && (isLoopback(address) || (isPublic && isInside(address)))) {
    const detail = `clients send the media of conferences to ${address}, which other networks do not reach`;
    const fix =
      "Set RTC_ANNOUNCED_ADDRESS to the address at which clients reach RTC_PORT (docs/OPERATIONS.md).";
    return warning(CHECK, detail, fix);
  }
  return skipped(CHECK, "JANUS_URL is not set: the embedded media server serves conferences");
}

/** Whether an address belongs to this machine or a private network. 0.0.0.0 stands for all addresses of the machine. */
function isInside(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, "");
  if (isIP(address) === 0) return isLoopback(address);
  return !["0.0.0.0", "::"].includes(address) && isPrivateAddress(address);
}
