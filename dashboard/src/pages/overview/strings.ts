import { counted } from "../../formats.ts";

/** Texts of the overview. */
export const overviewStrings = {
  title: "Overview",
  leadAll: "All applications of the account together.",
  lead: "What happens in the application, and what needs attention.",
  period: "Time",
  periodNames: { HOUR: "Hour", DAY: "Day", MONTH: "Month" } as const,
  periods: {
    HOUR: "The last hour",
    DAY: "The last 24 hours",
    MONTH: "The last 30 days",
  } as const,
  footnote:
    "Statistics are up to five seconds late, and renewed every 15 seconds. Days are those of UTC. Of connections and sessions the highest number of each part of the time is shown.",
  now: "Open now",
  orMore: (count: string) => `${count}+`,

  connections: "Connections",
  byProtocol: (protocols: readonly (readonly string[])[]) =>
    protocols.length === 0
      ? "none open"
      : protocols.map(([count, protocol]) => `${protocol} ${count}`).join(", "),
  sessions: "Sessions",
  sessionsDetail: "signed in, connected or not",
  calls: "Calls",
  callsDetail: "ringing or accepted",
  conferences: "Conferences",
  participants: (count: number, shown: string) =>
    `${shown} ${count === 1 ? "participant" : "participants"}`,

  requests: "Requests",
  errors: "Errors",
  graphql: "GraphQL",
  chat: "Chat",
  legacy: "Legacy conference",
  peak: "at most at the same time",
  callsAndConferences: "Calls and conferences",
  signals: "Call signals",
  signInsAndSignUps: "Sign-ins and sign-ups",
  signIns: "Sign-ins",
  signUps: "Sign-ups",
  failedSignIns: "Wrong credentials",
  pushes: "Pushes",
  accepted: "Accepted",
  failed: "Failed",
  unregistered: "Device gone",
  retried: "Tried again",
  none: "None in this time.",
  errorCode: (words: string, count: string) => `${words}: ${count}`,
  codes: {
    UNAUTHENTICATED: "Not signed in",
    FORBIDDEN: "Not allowed",
    NOT_FOUND: "Not found",
    INVALID: "Invalid input",
    MALFORMED: "Malformed request",
    CONFLICT: "Conflict",
    LIMITED: "Too many requests",
    UNAVAILABLE: "Not available",
    INTERNAL: "Failed inside",
  } as Readonly<Record<string, string>>,

  quiet: "Nothing happened in this time",
  quietAll:
    "Statistics appear as soon as an app of one of the applications sends its first request.",
  quietApplication:
    "Statistics appear as soon as an app signs in with the keys of the application.",
  toApplications: "Applications",
  toKeys: "Keys of the application",

  attention: {
    title: "Needs attention",
    allWell: "Nothing needs your attention.",
    urgent: "Urgent",
    notice: "Notice",
    more: (count: number) => `Show ${counted(count, "more", "more")}`,
    of: (application: string) => `${application}: `,
    orMore: (count: string) => `${count} or more`,
    node: (host: string, ago: string) => `The node on ${host} is missing. It was last seen ${ago}.`,
    check: (name: string, detail: string) => `${name}: ${detail}`,
    failed: (job: string, count: number, shown: string) =>
      `${shown} background ${count === 1 ? "job has" : "jobs have"} failed: ${job}.`,
    waiting: (job: string, shown: string) => `${shown} background jobs wait: ${job}.`,
    ownFailed: (count: number, shown: string) =>
      `${shown} background ${count === 1 ? "job" : "jobs"} of the application failed.`,
    manyFailed: "Many background jobs failed. Those of the application may be among them.",
    services: { APNS: "Apple", FCM: "Google (Firebase)", WEB: "Browsers" } as const,
    environments: { DEVELOPMENT: "development", PRODUCTION: "production" } as const,
    refused: (service: string, build: string, ago: string, reason: string | null | undefined) =>
      `${service} refuses the push credentials for ${build} since ${ago}${reason ? ` (${reason})` : ""}. No push arrives.`,
    expires: (service: string, build: string, day: string, when: string) =>
      `The certificate of ${service} for ${build} expires on ${day} (${when}). After it no push arrives.`,
    expired: (service: string, build: string, day: string) =>
      `The certificate of ${service} for ${build} expired on ${day}. No push arrives.`,
    secret: (when: string) =>
      `The previous secret stops working ${when}: every app and backend needs the new one by then.`,
    toHealth: "Look at the health",
    toJobs: "Look at the jobs",
    toCredentials: "Look at the credentials",
    toKeys: "Look at the keys",
  },
};
