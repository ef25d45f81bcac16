import { packageVersion } from "../../../core/package-root";
import { fetchText } from "../../../domain/health/checks/fetch-text";
import { type Finding, failure, ok, skipped, warning } from "../../../domain/health/checks/finding";
import { errorMessage } from "../../../platform/store/error-properties";
import { asMember } from "../connection/member";
import type { ServerAccess } from "../connection/server";
import type { CheckContext, RunningServer } from "./check-context";

const TIMEOUT_MS = 3_000;

/** Identifies what answers at an address, by its probes and by the version in its metrics. */
export async function probeServer(url: string): Promise<RunningServer> {
  const health = await fetchText(url, "healthz");
  if (health === null) return { url, state: "none", version: null };
  const [ready, metrics] = await Promise.all([fetchText(url, "readyz"), fetchText(url, "metrics")]);
  const version = versionIn(metrics?.text ?? "");
  // Metrics may be blocked by a proxy, so matching probes suffice.
  const matchesProbes = statusOf(health.text) === "ok" && statusOf(ready?.text) !== undefined;
  if (version === null && !matchesProbes) return { url, state: "other", version: null };
  const state = ready?.status === 200 ? "ready" : "not ready";
  return { url, state, version };
}

/** @returns the version in Signalbox's metrics, or null for any other text */
function versionIn(metrics: string): string | null {
  const head = 'signalbox_build_info{version="';
  const line = metrics.split("\n").find((each) => each.startsWith(head) && each.endsWith('"} 1'));
  return line?.slice(head.length, -'"} 1'.length) ?? null;
}

function statusOf(text: string | undefined): unknown {
  try {
    const body: unknown = JSON.parse(text ?? "");
    return typeof body === "object" && body !== null && "status" in body ? body.status : undefined;
  } catch {
    return undefined;
  }
}

/** Checks that the server is ready, has this command line's version, and accepts the command line's credentials. */
export async function checkServer({ server, access }: CheckContext): Promise<Finding[]> {
  const { url, state, version } = server;
  const own = packageVersion();
  const versionText = version === null ? "" : `, version ${version}`;
  switch (state) {
    case "none":
      return [
        skipped("server", `none answers at ${url}; checks that need it are skipped`),
        skipped("owner", "no server is running"),
      ];
    case "other":
      return [
        failure(
          "server",
          `the server that answers at ${url} is not Signalbox`,
          "Set the server's address: --url or SIGNALBOX_URL.",
        ),
        skipped("owner", "no server is running"),
      ];
    case "not ready": {
      const detail = `${url} answers${versionText}, but is not ready: its database or Redis cannot be reached or accepts no writes, or it is starting or stopping`;
      return [
        failure("server", detail, "Check its log and the findings below."),
        skipped("owner", "the server is not ready"),
      ];
    }
    case "ready": {
      const found =
        version === null || version === own
          ? ok("server", `ready at ${url}${versionText}`)
          : warning(
              "server",
              `ready at ${url}${versionText}; this command line has version ${own}`,
              "Restart the server after an update, so that both have the same version.",
            );
      return [found, await checkOwner(access)];
    }
  }
}

async function checkOwner(access: ServerAccess): Promise<Finding> {
  try {
    const ownAccess = { ...access, timeoutMs: TIMEOUT_MS };
    return await asMember(ownAccess, async (execute, credential) => {
      await execute("{ account { id } }");
      return ok("owner", `the command line has access with ${credential}`);
    });
  } catch (error) {
    const detail = `the command line has no access: ${errorMessage(error)}`;
    const fix =
      "Sign in with signalbox sign-in, set a member's token (--token, SIGNALBOX_TOKEN), or the server's DATA_DIR.";
    return warning("owner", detail, fix);
  }
}
