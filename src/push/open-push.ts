import { type CheckCredentials, checkWith } from "./credential/check-credentials";
import { openCredentialRoom } from "./credential/push-credentials";
import { BATCHES, deliver } from "./delivery/deliver";
import { type DeliverJob, type ExpandJob, expand } from "./delivery/expand";
import { PURGE_SECONDS, purgeDeliveries } from "./delivery/purge";
import { beginDue, DUE_SECONDS } from "./delivery/schedule";
import { openProvider } from "./provider/open-provider";
import { Providers } from "./provider/providers";
import { JOBS, type Push } from "./push";

/** What a test may put in place of push services. */
export interface PushParts {
  /** Asks push services whether they know credentials. */
  checkCredentials?: CheckCredentials;
  pushProvider?: Push["provider"];
}

/** Opens the room: this node takes its part of the work from now on. */
export function openPush(
  floor: Pick<Push, "identity" | "jobs" | "log" | "metrics">,
  parts: PushParts = {},
): Push & { close(): Promise<void> } {
  const { identity, jobs } = floor;
  const options = { clock: identity.clock, connector: identity.connector };
  const check = checkWith((...credentials) => openProvider(...credentials, options));
  const credentials = openCredentialRoom(identity, parts.checkCredentials ?? check);
  const providers = new Providers(async ({ applicationId, environment, service }) => {
    const loaded = await credentials.loaded.load(applicationId, environment, service);
    return loaded && { version: loaded.version, read: () => loaded.credentials };
  }, options);
  const push: Push = {
    ...floor,
    credentials,
    provider:
      parts.pushProvider ??
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
