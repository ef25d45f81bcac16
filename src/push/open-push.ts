import { type CheckCredentials, credentialCheckWith } from "./credentials/check-credentials";
import { openCredentialService } from "./credentials/push-credentials";
import { CONCURRENT_BATCHES, deliver } from "./delivery/deliver";
import { type DeliverJob, type FanOutJob, fanOut } from "./delivery/fan-out";
import { PURGE_INTERVAL_SECONDS, purgeDeliveries } from "./delivery/purge";
import { DUE_INTERVAL_SECONDS, startDueDispatches } from "./delivery/schedule";
import { openProvider } from "./providers/open-provider";
import { ProviderPool } from "./providers/provider-pool";
import { JOBS, type PushDeps } from "./push-deps";

/** Replacements for push services in tests. */
export interface PushOverrides {
  /** Validates credentials with the push service. */
  checkCredentials?: CheckCredentials;
  pushProvider?: PushDeps["provider"];
}

/** Opens the push module and starts processing push jobs on this node. */
export function openPush(
  deps: Pick<PushDeps, "identity" | "jobs" | "log" | "metrics">,
  overrides: PushOverrides = {},
): PushDeps & { close(): Promise<void> } {
  const { identity, jobs } = deps;
  const options = { clock: identity.clock, connector: identity.connector };
  const check = credentialCheckWith((...credentials) => openProvider(...credentials, options));
  const credentials = openCredentialService(identity, overrides.checkCredentials ?? check);
  const providers = new ProviderPool(async ({ applicationId, environment, service }) => {
    const loaded = await credentials.cache.load(applicationId, environment, service);
    return loaded && { version: loaded.version, read: () => loaded.credentials };
  }, options);
  const push: PushDeps = {
    ...deps,
    credentials,
    provider:
      overrides.pushProvider ??
      ((applicationId, environment, service) =>
        providers.get({ applicationId, environment, service })),
  };
  jobs.work<FanOutJob>(JOBS.fanOut, (job) => fanOut(push, job));
  jobs.work<DeliverJob>(JOBS.deliver, (job) => deliver(push, job), {
    concurrency: CONCURRENT_BATCHES,
  });
  jobs.work(JOBS.due, () => startDueDispatches(push), { everySeconds: DUE_INTERVAL_SECONDS });
  jobs.work(JOBS.purge, () => purgeDeliveries(push), { everySeconds: PURGE_INTERVAL_SECONDS });
  return {
    ...push,
    async close() {
      credentials.close();
      await providers.close();
    },
  };
}
