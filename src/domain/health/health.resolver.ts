import { Arg, Args, Ctx, Mutation, Query, Resolver } from "type-graphql";
import type { FailedJob } from "../../platform/jobs/job-queries";
import { Allow } from "../access/request-auth";
import { PageArgs, toConnection } from "../paging/page.type";
import type { Finding } from "./checks/finding";
import { LATEST_FAILURE_FIRST, listFailedJobs, retryJob } from "./failed-jobs";
import {
  FailedJobConnection,
  type FailedJobType,
  type HealthCheck,
  HealthStatus,
  HealthType,
  RetryJobInput,
  RetryJobPayload,
} from "./health.type";
import type { HealthContext } from "./health-deps";

/** Maximum length of a text that comes from another program. */
const DETAIL_MAX = 1_000;
const REASON_MAX = 300;

const STATUSES: Record<Finding["status"], HealthStatus> = {
  ok: HealthStatus.OK,
  warning: HealthStatus.WARNING,
  error: HealthStatus.ERROR,
  skipped: HealthStatus.SKIPPED,
};

@Resolver()
export class HealthResolver {
  @Allow("support")
  @Query(() => HealthType, {
    description:
      "State of the deployment: its nodes, what they depend on, and background jobs. The same for the members of every account.",
  })
  async health(@Ctx() { health }: HealthContext): Promise<HealthType> {
    const { checks, queues, ...report } = await health.monitor.report();
    return { ...report, checks: checks.map(toCheck), jobQueues: queues };
  }

  @Allow("support")
  @Query(() => FailedJobConnection, {
    description:
      "Background jobs of the account's applications that failed for good within the last three days. Jobs that belong to no application are only counted, in health.",
  })
  async failedJobs(
    @Ctx() { auth, health }: HealthContext,
    @Args(() => PageArgs) page: PageArgs,
  ): Promise<FailedJobConnection> {
    const { accountId } = await auth.account();
    const found = await listFailedJobs(health, accountId, page);
    const { edges, pageInfo } = toConnection(found, LATEST_FAILURE_FIRST.cursorOf);
    const shown = edges.map(({ cursor, node }) => ({ cursor, node: toFailedJob(node) }));
    return { edges: shown, nodes: shown.map(({ node }) => node), pageInfo };
  }

  @Allow("developer")
  @Mutation(() => RetryJobPayload, {
    description:
      "Runs a failed job once more, with the data that it had. Work that is no longer due does nothing.",
  })
  async retryJob(
    @Ctx() { auth, health }: HealthContext,
    @Arg("input", () => RetryJobInput) input: RetryJobInput,
  ): Promise<RetryJobPayload> {
    const { accountId } = await auth.account();
    return { jobId: input.jobId, name: await retryJob(health, accountId, input) };
  }
}

function toCheck({ check, status, detail, fix }: Finding): HealthCheck {
  const text = detail.slice(0, DETAIL_MAX);
  return { name: check, status: STATUSES[status], detail: text, fix: fix ?? null };
}

function toFailedJob({ micros, ...job }: FailedJob): FailedJobType {
  return { ...job, reason: job.reason.slice(0, REASON_MAX) };
}
