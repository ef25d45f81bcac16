import { Fault } from "../../core/errors";
import { parseId } from "../../core/text/ids";
import type { FailedJob } from "../../platform/jobs/job-queries";
import {
  applicationIdsOfAccount,
  findApplicationOfAccount,
} from "../applications/application-queries";
import { ID, listOrder, type OrderColumn } from "../paging/list-order";
import { type Page, type PageRequest, readPage } from "../paging/page";
import type { HealthDeps } from "./health-deps";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Microseconds since the Unix epoch, until the year 2255. */
const MICROS: OrderColumn<number> = {
  ...ID,
  highest: 9_000_000_000_000_000,
  read(text) {
    const micros = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    return micros <= MICROS.highest ? micros : null;
  },
};

const JOB_ID: OrderColumn<string> = {
  lowest: "00000000-0000-0000-0000-000000000000",
  highest: "ffffffff-ffff-ffff-ffff-ffffffffffff",
  write: String,
  read: (text) => (UUID.test(text) ? text : null),
};

/** The failed jobs, the latest failure first. */
export const LATEST_FAILURE_FIRST = listOrder(
  [MICROS, JOB_ID],
  "descending",
  ({ micros, id }: FailedJob) => [micros, id],
);

/**
 * Lists the failed jobs of an account's applications, in the order {@link LATEST_FAILURE_FIRST}. The jobs of other
 * accounts, and those that belong to no application, are only counted.
 * @throws Fault INVALID as {@link readPage}
 */
export async function listFailedJobs(
  { store, jobs }: Pick<HealthDeps, "store" | "jobs">,
  accountId: number,
  page: PageRequest,
): Promise<Page<FailedJob>> {
  return readPage(page, LATEST_FAILURE_FIRST, async (range) => {
    const applicationIds = await applicationIdsOfAccount(store, accountId);
    return applicationIds.length === 0 ? [] : jobs.failed(applicationIds, range);
  });
}

/**
 * Runs a failed job of one of the account's applications once more.
 * @returns the name of its queue
 * @throws Fault NOT_FOUND also if it belongs to another account or has not failed
 */
export async function retryJob(
  { store, jobs }: Pick<HealthDeps, "store" | "jobs">,
  accountId: number,
  { applicationId, jobId }: { applicationId: string; jobId: string },
): Promise<string> {
  const application = parseId(applicationId);
  const owned =
    application !== null && (await findApplicationOfAccount(store, accountId, application));
  if (!owned) throw new Fault("NOT_FOUND", "There is no such application");
  const name = UUID.test(jobId) ? await jobs.retry(application, jobId) : null;
  if (name === null) throw new Fault("NOT_FOUND", "There is no such failed job");
  return name;
}
