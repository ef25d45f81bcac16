import { type CheckCredentials, checkWith } from "./credential/check-credentials";
import { openCredentialRoom } from "./credential/push-credentials";
import { BATCHES, deliver } from "./delivery/deliver";
import { type DeliverJob, type ExpandJob, expand } from "./delivery/expand";
import { PURGE_SECONDS, purgeDeliveries } from "./delivery/purge";
import { beginDue, DUE_SECONDS } from "./delivery/schedule";
import { openProvider } from "./provider/open-provider";
import { Providers } from "./provider/providers";
import { JOBS, type Push } from "./push";

/** Replacements for push services in tests. */
export interface PushParts {
  /** Validates credentials with the push service. */
  checkCredentials?: CheckCredentials;
  pushProvider?: Push["provider"];
}

/** Opens the push module and starts processing push jobs on this node. */
export function openPush(
  deps: Pick<Push, "identity" | "jobs" | "log" | "metrics">,
  overrides: PushParts = {},
): Push & { close(): Promise<void> } {
  const { identity, jobs } = deps;
  const options = { clock: identity.clock, connector: identity.connector };
  const check = checkWith((...credentials) => openProvider(...credentials, options));
  const credentials = openCredentialRoom(identity, overrides.checkCredentials ?? check);
  const providers = new Providers(async ({ applicationId, environment, service }) => {
    const loaded = await credentials.cache.load(applicationId, environment, service);
    return loaded && { version: loaded.version, read: () => loaded.credentials };
  }, options);
  const push: Push = {
    ...deps,
    credentials,
    provider:
      overrides.pushProvider ??
      ((applicationId, environment, service) =>
        providers.get({ applicationId, environment, service })),
  };
  jobs.work<ExpandJob>(JOBS.expand, (job) => expand(push, job));
  jobs.work<DeliverJob>(JOBS.deliver, (job) => deliver(push, job), { concurrency: BATCHES });
  jobs.work(JOBS.due, () => beginDue(push), { everySeconds: DUE_SECONDS });
  jobs.work(JOBS.purge, () => purgeDeliveries(push), { everySeconds: PURGE_SECONDS });
  return {
    ...push,
    async close() {
      credentials.close();
      await providers.close();
    },
  };
}
