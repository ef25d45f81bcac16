import { counted } from "../../formats.ts";

/** Texts of the page of the deployment. */
export const healthStrings = {
  title: "Health",
  lead: "The state of the deployment: what it consists of and depends on.",
  checked: (ago: string) => `Checked ${ago}, and again every ten seconds.`,
  refresh: "Check now",
  allWell: "all is well",
  problems: (errors: number, warnings: number) =>
    [
      ...(errors > 0 ? [counted(errors, "error", "errors")] : []),
      ...(warnings > 0 ? [counted(warnings, "warning", "warnings")] : []),
    ].join(", "),

  checks: "Checks",
  statuses: { ERROR: "Error", WARNING: "Warning", OK: "Passed", SKIPPED: "Not checked" } as const,
  showSkipped: (count: number) => `Show ${counted(count, "check", "checks")} that did not apply`,
  hideSkipped: "Hide the checks that did not apply",
  fix: (fix: string) => `What to do: ${fix}`,
  /** Names of checks that read better than those of the command line. */
  names: {
    redis: "Redis",
    turn: "TURN server",
    "clock: database": "Clock of the database",
    "clock: redis": "Clock of Redis",
    "redis access": "Access to Redis",
    jobs: "Job queue",
  } as Readonly<Record<string, string>>,

  nodes: "Nodes",
  noNodes: "No node has reported yet",
  noNodesText: "A node reports itself every 15 seconds.",
  host: "Machine",
  state: "State",
  running: "running",
  missing: "missing",
  seen: (ago: string) => `last seen ${ago}`,
  version: "Version",
  started: "Started",
  sockets: "Open connections",
  delay: "Longest wait",
  milliseconds: (value: string) => `${value} ms`,
  answering: (node: string) => `The node ${node} ran the checks.`,

  jobs: "Background jobs",
  jobsText:
    "Jobs send pushes and mails, and delete what has expired. These are those of all applications of the deployment.",
  job: "Job",
  waiting: "Waiting",
  active: "Running",
  failed: "Failed",
  orMore: (count: string) => `${count} or more`,
  idle: "No job waits, runs or has failed.",
  idleKinds: (count: number) =>
    `${counted(count, "other kind of job has", "other kinds of jobs have")} nothing to do.`,
  jobNames: {
    "push-fan-out": "Find the recipients of pushes",
    "push-deliver": "Send pushes",
    "push-due": "Start scheduled pushes",
    "push-purge": "Delete old push deliveries",
    "call-push": "Push incoming calls",
    "call-missed": "End unanswered calls",
    "call-lost": "End calls whose devices have gone",
    "call-purge": "Delete old calls",
    conferences: "Take over conferences of nodes that are gone",
    "conference-purge": "Delete old conferences",
    "account-email-change": "Mail changes of members’ e-mail addresses",
    "account-invitation": "Mail invitations of members",
    "password-reset": "Mail password resets",
    "email-change": "Mail changes of e-mail addresses",
    "statistics-sample": "Sample open sockets and sessions",
    "statistics-purge": "Delete old statistics",
    purge: "Delete expired sessions, guests and entries",
    "application-deletion": "Complete deletions of applications",
  } as Readonly<Record<string, string>>,

  failedJobs: "Failed jobs of your applications",
  failedJobsText:
    "Each was tried several times. Remove the reason, and run the job again. They are kept for three days.",
  noFailedJobs: "No job has failed",
  noFailedJobsText: "A job appears here when its last attempt has failed.",
  failedAt: "Failed",
  attempts: (count: number) => `after ${counted(count, "attempt", "attempts")}`,
  action: "Action",
  retry: "Run again",
  retryJob: (job: string, when: string) => `Run again: ${job}, failed ${when}`,
  retried: (job: string) => `“${job}” runs again.`,
};
