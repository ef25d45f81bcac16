import { CLUSTERED_PREFIX } from "./fill";
import { readPageOperation } from "./page-documents";
import type { DashboardSubject } from "./subject";

type Variables = Record<string, unknown>;

/** An operation of a page. */
export interface DashboardOperation {
  /** Name of the table row. */
  name: string;
  document: string;
  /** The variables of one request after the other, in rotation. */
  variables(subject: DashboardSubject): Variables[] | Promise<Variables[]>;
  /** Whether the lists of the answer may be empty; otherwise an empty one fails the run. */
  mayBeEmpty?: boolean;
}

/** Entries on a page of a list of the dashboard. */
const FIRST = 25;
/** Number of different users whose page is opened. */
const USERS = 10;

/** The cheapest operation that a member can run: the floor of all others. */
export const CHEAPEST: DashboardOperation = {
  name: "the name of the account",
  document: "{ account { name } }",
  variables: () => [{}],
};

/** All operations in the order of measurement. */
export function dashboardOperations(): DashboardOperation[] {
  return [...overview(), ...userLists(), ...userSearch(), ...userPage(), ...pushes(), ...others()];
}

function overview(): DashboardOperation[] {
  const account = readPageOperation("overview/overview", "AccountOverview");
  const application = readPageOperation("overview/overview", "ApplicationOverview");
  const periods = ["HOUR", "DAY", "MONTH"];
  return [
    ...periods.map((period) => ({
      name: `overview: the application, ${period.toLowerCase()}`,
      document: application,
      variables: ({ applicationId: id }: DashboardSubject) => [{ id, period }],
    })),
    ...periods.map((period) => ({
      name: `overview: the account, ${period.toLowerCase()}`,
      document: account,
      variables: () => [{ period }],
    })),
    {
      name: "health",
      document: readPageOperation("health/health", "Health"),
      variables: () => [{}],
      mayBeEmpty: true,
    },
  ];
}

/** A page of the list of users. */
function userList(
  name: string,
  list: (subject: DashboardSubject) => Variables | Promise<Variables>,
  mayBeEmpty = false,
): DashboardOperation {
  return {
    name: `users: ${name}`,
    document: readPageOperation("users/users", "ApplicationUsers"),
    variables: async (subject) => [
      { applicationId: subject.applicationId, first: FIRST, ...(await list(subject)) },
    ],
    mayBeEmpty,
  };
}

/** A page that begins in the middle of the list of users in an order. */
function deepUserList(name: string, sort: Variables): DashboardOperation {
  const document = readPageOperation("users/users", "ApplicationUsers");
  return {
    name: `users: ${name}, from the middle`,
    document,
    async variables({ client, applicationId, firstUser, size }) {
      const middle = firstUser + Math.floor(size.users / 2);
      const filter = { id: { eq: middle } };
      const { application } = (await client.ask(document, { applicationId, filter, sort })) as {
        application: { users: { pageInfo: { endCursor: string } } };
      };
      const after = application.users.pageInfo.endCursor;
      return [{ applicationId, first: FIRST, sort, after }];
    },
  };
}

const agoIso = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

function userLists(): DashboardOperation[] {
  const pro = { userTags: { eq: "plan-pro" } };
  const city = { userTags: { eq: "city-0" } };
  const external = (n: number) => `customer-${n}`;
  return [
    userList("newest first", () => ({ sort: { desc: "ID" } })),
    deepUserList("newest first", { desc: "ID" }),
    userList("by login", () => ({ sort: { asc: "LOGIN" } })),
    deepUserList("by login", { asc: "LOGIN" }),
    userList("by name, descending", () => ({ sort: { desc: "FULL_NAME" } })),
    userList("by e-mail", () => ({ sort: { asc: "EMAIL" } })),
    userList("by last request, descending", () => ({ sort: { desc: "LAST_REQUEST_AT" } })),
    deepUserList("by last request, descending", { desc: "LAST_REQUEST_AT" }),
    userList("by change, descending", () => ({ sort: { desc: "UPDATED_AT" } })),
    userList("blocked", () => ({ blocked: true, sort: { desc: "ID" } }), true),
    userList("not blocked, no guests", () => ({ blocked: false, guest: false })),
    userList("guests", () => ({ guest: true, sort: { desc: "ID" } })),
    userList("tag of a fifth, eq", () => ({ filter: pro, sort: { desc: "ID" } })),
    userList("tag of a fifth, by name", () => ({ filter: pro, sort: { asc: "FULL_NAME" } })),
    userList("tag of a fifth, by last request, descending", () => ({
      filter: pro,
      sort: { desc: "LAST_REQUEST_AT" },
    })),
    userList(
      "tag of a thousandth, eq, by name",
      () => ({
        filter: city,
        sort: { asc: "FULL_NAME" },
      }),
      true,
    ),
    userList(
      "tags of a thousandth, in, by tags",
      () => ({
        filter: { userTags: { in: ["city-7", "city-919"] } },
        sort: { asc: "USER_TAGS" },
      }),
      true,
    ),
    userList("external id, in", () => ({
      filter: { externalId: { in: [3, 5, 8, 9, 12, 15, 20, 21, 28, 30].map(external) } },
    })),
    userList(
      "name, startWith",
      () => ({
        filter: { fullName: { startWith: "Anna" } },
        sort: { asc: "FULL_NAME" },
      }),
      true,
    ),
    userList(
      "name, startWith, newest first",
      () => ({
        filter: { fullName: { startWith: "Zoe " } },
        sort: { desc: "ID" },
      }),
      true,
    ),
    userList("tag of a fifth, but not of a city, nin", () => ({
      filter: { userTags: { eq: "plan-pro", nin: ["city-0", "city-5"] } },
      sort: { desc: "ID" },
    })),
    userList(
      "tag of a fifth, last request within a day, gte",
      () => ({
        filter: { ...pro, lastRequestAt: { gte: agoIso(1) } },
        sort: { desc: "ID" },
      }),
      true,
    ),
    userList("tag of a fifth, sign-up within an hour, gt and lte", () => ({
      filter: { ...pro, createdAt: { gt: agoIso(1 / 24), lte: agoIso(0) } },
    })),
    userList(
      "tag of a fifth, changed long ago, lt, by name",
      () => ({
        filter: { ...pro, updatedAt: { lt: agoIso(80) } },
        sort: { asc: "FULL_NAME" },
      }),
      true,
    ),
    userList("tag of a fifth, blocked", () => ({ filter: pro, blocked: true }), true),
  ];
}

function userSearch(): DashboardOperation[] {
  const search = (name: string, text: string, more: Variables = {}) =>
    userList(`search ${name}`, () => ({ search: text, ...more }), true);
  return [
    search("of one letter", "a"),
    search("of a first name", "clara."),
    search("of a name", "clara.adler"),
    userList("search of one login", async (subject) => ({ search: await loginOf(subject) })),
    search("without a match", "nobody-of-that-name"),
    search("of a prefix at one end of the ids", CLUSTERED_PREFIX),
    search("of a prefix at one end, not blocked", CLUSTERED_PREFIX, { blocked: false }),
    search("of a prefix, blocked", CLUSTERED_PREFIX, { blocked: true }),
    search("of a prefix, with a tag", "a", { filter: { userTags: { eq: "city-0" } } }),
  ];
}

/** The login of a user in the middle of an application. */
async function loginOf({
  client,
  applicationId,
  firstUser,
  size,
}: DashboardSubject): Promise<string> {
  const document = readPageOperation("users/user/user", "User");
  const userId = firstUser + Math.floor(size.users / 2) - 1;
  const { user } = (await client.ask(document, { applicationId, userId })) as {
    user: { login: string };
  };
  return user.login;
}

function userPage(): DashboardOperation[] {
  const of = (name: string, operation: string, mayBeEmpty = false): DashboardOperation => ({
    name: `a user: ${name}`,
    document: readPageOperation("users/user/user", operation),
    variables: ({ applicationId, firstUser, size }) =>
      Array.from({ length: USERS }, (_, n) => ({
        applicationId,
        userId: firstUser + Math.floor((n * size.users) / USERS),
        first: FIRST,
      })),
    mayBeEmpty,
  });
  return [
    of("profile", "User"),
    of("sessions", "UserSessions", true),
    of("devices", "UserDevices"),
    of("calls", "UserCalls", true),
    of("pushes", "UserPushes"),
  ];
}

function pushes(): DashboardOperation[] {
  const deliveries = (name: string, more: Variables): DashboardOperation => ({
    name: `pushes: deliveries of the large event, ${name}`,
    document: readPageOperation("push/events", "PushDeliveries"),
    variables: ({ eventId }) => [{ eventId, first: FIRST, ...more }],
    mayBeEmpty: "outcome" in more,
  });
  const events = (name: string, more: Variables): DashboardOperation => ({
    name: `pushes: events${name}`,
    document: readPageOperation("push/events", "PushEvents"),
    variables: ({ applicationId }) => [{ applicationId, first: FIRST, ...more }],
    mayBeEmpty: "filter" in more,
  });
  const recipients = (name: string, more: Variables): DashboardOperation => ({
    name: `pushes: recipients, ${name}`,
    document: readPageOperation("push/compose", "PushRecipients"),
    variables: ({ applicationId }) => [
      { applicationId, recipients: { environment: "PRODUCTION", ...more } },
    ],
  });
  return [
    events(", newest first", {}),
    events(" being sent", { filter: { state: "SENDING" } }),
    events(" scheduled, of the API", { filter: { state: "SCHEDULED", kind: "API" } }),
    {
      name: "pushes: the large event",
      document: readPageOperation("push/events", "PushEvent"),
      variables: ({ eventId: id }) => [{ id }],
    },
    deliveries("first page", {}),
    deliveries("last page", { first: null, last: FIRST }),
    ...["ACCEPTED", "FAILED", "UNREGISTERED", "PENDING"].map((outcome) =>
      deliveries(outcome.toLowerCase(), { outcome }),
    ),
    recipients("a tag of few", { tagsAny: ["beta"] }),
    recipients("a tag of most", { tagsAny: ["plan-free"] }),
    recipients("all but a tag", { tagsExclude: ["city-0"] }),
    recipients("two tags at once", { tagsAll: ["plan-pro", "city-0"] }),
  ];
}

function others(): DashboardOperation[] {
  const page = (name: string, file: string, operation: string, more: Variables = {}) => ({
    name,
    document: readPageOperation(file, operation),
    variables: ({ applicationId }: DashboardSubject) => [{ applicationId, first: FIRST, ...more }],
  });
  return [
    page("calls: newest first", "calls/calls", "Calls"),
    page("calls: missed", "calls/calls", "Calls", { states: ["MISSED"] }),
    page("calls: going on", "calls/calls", "Calls", { states: ["RINGING", "ACCEPTED"] }),
    page("calls: before a time", "calls/calls", "Calls", { until: agoIso(1 / 144) }),
    page("conferences: open", "conferences/conferences", "Conferences", { open: true }),
    page("conferences: all", "conferences/conferences", "Conferences"),
    page("audit log: of the application", "audit/audit", "AuditEntries"),
    page("audit log: of an action", "audit/audit", "AuditEntries", {
      applicationId: null,
      action: "blockUser",
    }),
  ];
}
