import { Fault } from "../../core/errors";
import { parseId } from "../../core/text/ids";
import type { FailedJob, FailedJobPosition, FailedJobRange } from "../../platform/jobs/job-queries";
import {
  applicationIdsOfAccount,
  findApplicationOfAccount,
} from "../applications/application-queries";
import { isGiven, type Page, type PageRequest, pageSize } from "../paging/page";
import type { HealthDeps } from "./health-deps";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Microseconds of the year 2286 have one digit more. */
const MICROS = /^[0-9]{1,16}$/;

/** Before and after every failed job. */
const FIRST: FailedJobPosition = { micros: 0, id: "00000000-0000-0000-0000-000000000000" };
const LAST: FailedJobPosition = {
  micros: 9_000_000_000_000_000,
  id: "ffffffff-ffff-ffff-ffff-ffffffffffff",
};

/**
 * Lists the failed jobs of an account's applications, the latest failure first. The jobs of other accounts, and those
 * that belong to no application, are only counted.
 * @throws Fault INVALID on the page
 */
export async function listFailedJobs(
  { store, jobs }: Pick<HealthDeps, "store" | "jobs">,
  accountId: number,
  page: PageRequest,
): Promise<Page<FailedJob>> {
  const range = rangeOf(page);
  const applicationIds = await applicationIdsOfAccount(store, accountId);
  const { backward, size } = pageSize(page);
  const found = applicationIds.length === 0 ? [] : await jobs.failed(applicationIds, range);
  const nodes = found.slice(0, size);
  if (backward) nodes.reverse();
  const isMore = found.length > size;
  return {
    nodes,
    hasNextPage: backward ? isGiven(page.before) : isMore,
    hasPreviousPage: backward ? isMore : isGiven(page.after),
  };
}

/** The cursor of a failed job. */
export function failedJobCursor({ micros, id }: FailedJobPosition): string {
  return `${micros}_${id}`;
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

function rangeOf(page: PageRequest): FailedJobRange {
  const { size, backward } = pageSize(page);
  return {
    above: position("before", page.before) ?? FIRST,
    below: position("after", page.after) ?? LAST,
    descending: !backward,
    limit: size + 1,
  };
}

function position(
  argument: "after" | "before",
  cursor: string | null | undefined,
): FailedJobPosition | null {
  if (!isGiven(cursor)) return null;
  const [micros = "", id = "", ...more] = cursor.split("_");
  if (more.length > 0 || !MICROS.test(micros) || !UUID.test(id)) {
    throw Fault.field(argument, "is not a cursor of this list");
  }
  return { micros: Math.min(Number(micros), LAST.micros), id };
}
