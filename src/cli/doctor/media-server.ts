import { inspectJanus } from "../../conferences/engine/janus/inspect-janus";
import { janusAdmin } from "../../conferences/open-engine";
import type { Config } from "../../core/config";
import { type Finding, failure, ok, skipped, warning } from "./finding";

const CHECK = "media server";

/** Checks the Janus server of JANUS_URL: its keys, version and configuration, and the Admin API of JANUS_ADMIN_URL. */
export async function checkMediaServer(config: Config): Promise<Finding[]> {
  const { JANUS_URL: url, JANUS_API_SECRET: apiSecret, JANUS_ADMIN_KEY: adminKey } = config;
  if (!config.CONFERENCES) return [skipped(CHECK, "CONFERENCES is off")];
  if (url === undefined || apiSecret === undefined || adminKey === undefined) {
    return [skipped(CHECK, "JANUS_URL is not set: the embedded media server serves conferences")];
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
