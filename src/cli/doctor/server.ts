import { withoutEndSlashes } from "../../core/host-in-url";
import { packageVersion } from "../../core/package-root";
import { messageOf } from "../../store/error-parts";
import { asOwner, type ServerAccess } from "../server";
import {
  type Finding,
  ok,
  type Patient,
  type RunningServer,
  skipped,
  warning,
  wrong,
} from "./finding";

const ANSWER_MS = 3_000;

/** Finds out what answers at an address: its probes, and the version among its metrics. */
export async function findServer(url: string): Promise<RunningServer> {
  const health = await readAddress(url, "healthz");
  if (health === null) return { url, state: "none", version: null };
  const [ready, metrics] = await Promise.all([
    readAddress(url, "readyz"),
    readAddress(url, "metrics"),
  ]);
  const version = versionIn(metrics?.text ?? "");
  // Where the metrics are kept from the public, the probes are all that tells.
  const looksAlike = statusOf(health.text) === "ok" && statusOf(ready?.text) !== undefined;
  if (version === null && !looksAlike) return { url, state: "stranger", version: null };
  const state = ready?.status === 200 ? "ready" : "not ready";
  return { url, state, version };
}

/** The version that the metrics of a server tell; null for those of another. */
function versionIn(metrics: string): string | null {
  const head = 'signalbox_build_info{version="';
  const line = metrics.split("\n").find((each) => each.startsWith(head) && each.endsWith('"} 1'));
  return line?.slice(head.length, -'"} 1'.length) ?? null;
}

/** What answers at a path of an address, whatever it is; null where nothing does. */
export async function readAddress(
  url: string,
  path: string,
): Promise<{ status: number; text: string } | null> {
  try {
    const response = await fetch(`${withoutEndSlashes(url)}/${path}`, {
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    return { status: response.status, text: await response.text() };
  } catch {
    return null;
  }
}

function statusOf(text: string | undefined): unknown {
  try {
    const body: unknown = JSON.parse(text ?? "");
    return typeof body === "object" && body !== null && "status" in body ? body.status : undefined;
  } catch {
    return undefined;
  }
}

/** The running server, and whether its owner can sign in. */
export async function checkServer({ server, access }: Patient): Promise<Finding[]> {
  const { url, state, version } = server;
  const own = packageVersion();
  const named = version === null ? "" : `, version ${version}`;
  switch (state) {
    case "none":
      return [
        skipped("server", `none answers at ${url}; what it alone knows is not looked at`),
        skipped("owner", "no server runs"),
      ];
    case "stranger":
      return [
        wrong(
          "server",
          `something that is no Signalbox answers at ${url}`,
          "Name the server's address: --url, or SIGNALBOX_URL.",
        ),
        skipped("owner", "no server runs"),
      ];
    case "not ready": {
      const detail = `${url} answers${named}, and is not ready: its database or its Redis does not answer, or it is starting or ending`;
      return [
        wrong("server", detail, "Look at its log, and at what is wrong below."),
        skipped("owner", "the server is not ready"),
      ];
    }
    case "ready": {
      const found =
        version === null || version === own
          ? ok("server", `ready at ${url}${named}`)
          : warning(
              "server",
              `ready at ${url}${named}; this command line is of version ${own}`,
              "Restart the server after an update, so that both are of one version.",
            );
      return [found, await checkOwner(access)];
    }
  }
}

async function checkOwner(access: ServerAccess): Promise<Finding> {
  const way = access.token === undefined ? "owner.json" : "the token given";
  try {
    await asOwner({ ...access, timeoutMs: ANSWER_MS }, (ask) => ask("{ account { id } }"));
    return ok("owner", `signs in with ${way}`);
  } catch (error) {
    const detail = `cannot sign in with ${way}: ${messageOf(error)}`;
    const mend = "Give the owner's token (--token, SIGNALBOX_TOKEN), or the server's DATA_DIR.";
    return warning("owner", detail, mend);
  }
}
