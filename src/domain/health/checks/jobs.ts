import { countJobs, JOB_COUNT_MAX } from "../../../platform/jobs/job-queries";
import { FAILED_DAYS } from "../../../platform/jobs/jobs";
import type { MigrationConnection } from "../../../platform/store/migration/stoppable-connection";
import { type Finding, ok, warning } from "./finding";
import { statementsOver } from "./statements";

const CHECK = "failed jobs";

/** Checks whether background jobs have failed for good. */
export async function checkJobs(connection: MigrationConnection): Promise<Finding> {
  const queues = await countJobs(statementsOver(connection));
  const failed = queues.flatMap(({ name, failed }) => {
    const number = Number(failed);
    if (number === 0) return [];
    return [`${name} (${number === JOB_COUNT_MAX ? `${number} or more` : number})`];
  });
  if (failed.length === 0) return ok(CHECK, `none within ${FAILED_DAYS} days`);
  const fix =
    "Read the reasons in the log, or those of your applications by failedJobs, and retry the jobs by retryJob.";
  return warning(CHECK, `failed for good: ${failed.join(", ")}`, fix);
}
