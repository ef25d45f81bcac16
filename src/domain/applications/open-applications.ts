import type { Log } from "../../core/log";
import type { Jobs } from "../../platform/jobs/jobs";
import { completeDeletion, DELETION_JOB, DELETION_JOB_DELAY } from "./application-deletion";
import type { ApplicationDeletion, ApplicationService } from "./application-deps";
import { WebOrigins } from "./web-origins";

/** The open module. */
export interface ApplicationModule extends ApplicationService {
  /** Web origins that may use an application. */
  webOrigins: WebOrigins;
}

/** Opens applications, and starts the job that completes their deletion. */
export function openApplications(
  deps: Omit<ApplicationService, "enqueueDeletion"> & { log: Log; jobs: Jobs },
): ApplicationModule {
  const { store, log, jobs, sessionEvents } = deps;
  const webOrigins = new WebOrigins(store, log);
  sessionEvents.addCache(webOrigins);
  jobs.work(DELETION_JOB, (deletion: ApplicationDeletion) => completeDeletion(deps, deletion), {
    applicationOf: async ({ applicationId }) => applicationId,
  });
  return {
    ...deps,
    webOrigins,
    enqueueDeletion: (deletion) =>
      jobs.enqueue(DELETION_JOB, deletion, { afterSeconds: DELETION_JOB_DELAY }),
  };
}
