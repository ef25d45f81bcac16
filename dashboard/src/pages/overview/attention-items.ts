import { formatDate, formatNumber, formatRelative } from "../../formats.ts";
import { checkName } from "../health/check-name.ts";
import { jobLabel } from "../health/job-labels.ts";
import type { AccountAttentionQuery, AttentionFailedJobsQuery } from "./attention.generated.ts";
import { overviewStrings } from "./strings.ts";

const texts = overviewStrings.attention;

/** Something that needs attention, with the page where it is solved. */
export interface AttentionItem {
  key: string;
  isUrgent: boolean;
  text: string;
  to: string;
  action: string;
}

type Health = AccountAttentionQuery["health"];
type Account = AccountAttentionQuery["account"];

/** Jobs of a kind that may wait before it needs attention. */
const WAITING_MAX = 1_000;
/** Numbers of jobs are counted up to this one. */
const COUNT_MAX = 10_000;
/** Checks whose findings have items of their own here. */
const OWN_ITEMS = ["nodes", "failed jobs"];
/** Time before an old secret ends in which it needs attention, in milliseconds. */
const SECRET_NOTICE_MS = 3 * 24 * 3_600_000;

/** What of the deployment needs attention: of all accounts, so that it stands on the page of all applications. */
export function deploymentItems({ checks, nodes, jobQueues }: Health): AttentionItem[] {
  const health = { to: "/health", action: texts.toHealth };
  const failing = checks.filter(
    ({ name, status }) => (status === "ERROR" || status === "WARNING") && !OWN_ITEMS.includes(name),
  );
  const failed = jobQueues.filter((queue) => queue.failed > 0);
  return [
    ...nodes
      .filter(({ missing }) => missing)
      .map(({ id, host, seenAt }) => ({
        ...{ key: `node ${id}`, isUrgent: true, ...health },
        text: texts.node(host, formatRelative(seenAt)),
      })),
    ...failing.map(({ name, status, detail }) => ({
      ...{ key: `check ${name} ${detail}`, isUrgent: status === "ERROR", ...health },
      text: texts.check(checkName(name), detail),
    })),
    ...failed.map((queue) => ({
      ...{ key: `failed ${queue.name}`, isUrgent: true, ...health, action: texts.toJobs },
      text: texts.failed(jobLabel(queue.name), queue.failed, formatJobs(queue.failed)),
    })),
    ...jobQueues
      .filter(({ waiting }) => waiting >= WAITING_MAX)
      .map(({ name, waiting }) => ({
        ...{ key: `waiting ${name}`, isUrgent: false, ...health, action: texts.toJobs },
        text: texts.waiting(jobLabel(name), formatJobs(waiting)),
      })),
  ];
}

/** What of applications needs attention. @param only the id of the one application that is looked at, or null for all */
export function applicationItems(
  { applications, pushCredentialProblems }: Account,
  only: string | null,
): AttentionItem[] {
  const names = new Map(applications.map(({ id, name }) => [id, name]));
  const isWanted = (id: string) => only === null || id === only;
  const prefix = (id: string) => (only === null ? texts.of(names.get(id) ?? id) : "");
  const credentials = pushCredentialProblems
    .filter(({ applicationId }) => isWanted(applicationId))
    .map((problem) => ({
      key: `credentials ${problem.applicationId} ${problem.environment} ${problem.service}`,
      isUrgent: problem.refusedSince !== null || Date.parse(problem.validUntil ?? "") < Date.now(),
      text: prefix(problem.applicationId) + credentialText(problem),
      to: `/applications/${problem.applicationId}/providers?environment=${problem.environment}`,
      action: texts.toCredentials,
    }));
  const secrets = applications.flatMap(({ id, previousSecretValidUntil: until }) => {
    const isSoon = until && Date.parse(until) - Date.now() < SECRET_NOTICE_MS;
    if (!isWanted(id) || !isSoon || Date.parse(until) < Date.now()) return [];
    const to = `/applications/${id}/settings?tab=keys`;
    const text = prefix(id) + texts.secret(formatRelative(until));
    return [{ key: `secret ${id}`, isUrgent: false, text, to, action: texts.toKeys }];
  });
  return [...credentials, ...secrets];
}

/** The failed jobs of one application, of which the newest of all applications are known. */
export function failedJobItems(
  { nodes, pageInfo }: AttentionFailedJobsQuery["failedJobs"],
  applicationId: string,
): AttentionItem[] {
  const count = nodes.filter((job) => job.applicationId === applicationId).length;
  if (count === 0) {
    if (!pageInfo.hasNextPage) return [];
    const link = { to: "/health", action: texts.toJobs };
    return [{ key: "jobs", isUrgent: false, text: texts.manyFailed, ...link }];
  }
  const shown = pageInfo.hasNextPage ? texts.orMore(formatNumber(count)) : formatNumber(count);
  const text = texts.ownFailed(count, shown);
  return [{ key: "jobs", isUrgent: true, text, to: "/health", action: texts.toJobs }];
}

function credentialText({
  service,
  environment,
  validUntil,
  refusedSince,
  refusedReason,
}: Account["pushCredentialProblems"][number]): string {
  const [name, build] = [texts.services[service], texts.environments[environment]];
  if (refusedSince) return texts.refused(name, build, formatRelative(refusedSince), refusedReason);
  const end = validUntil ?? "";
  return Date.parse(end) < Date.now()
    ? texts.expired(name, build, formatDate(end))
    : texts.expires(name, build, formatDate(end), formatRelative(end));
}

function formatJobs(count: number): string {
  return count >= COUNT_MAX ? texts.orMore(formatNumber(count)) : formatNumber(count);
}
