import { SharedLoads } from "../../core/loads/shared-loads";
import { type CheckCredentials, credentialCheckWith } from "./credentials/check-credentials";
import { openCredentialService, type PushCredentialService } from "./credentials/push-credentials";
import { CONCURRENT_BATCHES, deliver } from "./delivery/deliver";
import { openDeliveryLoads } from "./delivery/deliveries";
import type { ProgressLoads } from "./delivery/event-progress";
import { type DeliverJob, type FanOutJob, fanOut } from "./delivery/fan-out";
import { PURGE_INTERVAL_SECONDS, purgeDeliveries } from "./delivery/purge";
import { DUE_INTERVAL_SECONDS, startDueDispatches } from "./delivery/schedule";
import { PUSH_JOBS, type PushDeps } from "./deps/push-deps";
import { findEventById } from "./events/event-list-queries";
import { openProvider } from "./providers/open-provider";
import { ProviderPool } from "./providers/provider-pool";

/** Replacements for push services in tests. */
export interface PushOverrides {
  /** Validates credentials with the push service. */
  checkCredentials?: CheckCredentials;
  pushProvider?: PushDeps["provider"];
}

/** The push module of a node. */
export interface PushModule {
  push: PushDeps & ProgressLoads;
  pushCredentials: PushCredentialService;
  /** Stops sending and closes the connections to push services. */
  close(): Promise<void>;
}

/** Opens the push module and starts processing push jobs on this node. */
export function openPush(
  deps: Omit<PushDeps, "provider" | "credentialsSetAt" | "noteCredentials">,
  overrides: PushOverrides = {},
): PushModule {
  const { clock, connector, jobs } = deps;
  const options = { clock, connector };
  const check = credentialCheckWith((...credentials) => openProvider(...credentials, options));
  const pushCredentials = openCredentialService(deps, overrides.checkCredentials ?? check);
  const providers = new ProviderPool(async ({ applicationId, environment, service }) => {
    const loaded = await pushCredentials.cache.load(applicationId, environment, service);
    return loaded && { version: loaded.version, read: () => loaded.credentials };
  }, options);
  const push: PushDeps & ProgressLoads = {
    ...deps,
    ...openDeliveryLoads(deps),
    events: new SharedLoads(),
    provider:
      overrides.pushProvider ??
      ((applicationId, environment, service) =>
        providers.get({ applicationId, environment, service })),
    credentialsSetAt: async (...key) =>
      (await pushCredentials.cache.load(...key))?.updatedAt ?? null,
    noteCredentials: (...verdict) => pushCredentials.verdicts.note(...verdict),
  };
  const applicationOf = async ({ event }: FanOutJob | DeliverJob) =>
    (await findEventById(push.store.query, event))?.applicationId ?? null;
  jobs.work<FanOutJob>(PUSH_JOBS.fanOut, (job) => fanOut(push, job), { applicationOf });
  jobs.work<DeliverJob>(PUSH_JOBS.deliver, (job, run) => deliver(push, job, run), {
    concurrency: CONCURRENT_BATCHES,
    applicationOf,
  });
  jobs.work(PUSH_JOBS.due, () => startDueDispatches(push), { everySeconds: DUE_INTERVAL_SECONDS });
  jobs.work(PUSH_JOBS.purge, () => purgeDeliveries(push), { everySeconds: PURGE_INTERVAL_SECONDS });
  return {
    push,
    pushCredentials,
    async close() {
      pushCredentials.close();
      await providers.close();
    },
  };
}
