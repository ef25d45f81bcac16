import type { Job } from "./driver";
import type { LoadRequest, Signing } from "./load";
import { PASSWORD, type Seed } from "./seed";

/** The server of a scenario: the baseline, a single node without Redis, or a node with Redis. */
export type Subject = "baseline" | "single" | "redis";

/** A measured workload. */
export interface Scenario {
  /** Name of the table row. */
  name: string;
  subject: Subject;
  /** Name of the baseline's scenario with the same work. */
  baseline?: string;
  aim?: Aim;
  /** The driver's job against a server. */
  job(baseUrl: string, seconds: number): Job;
  /** A second job that measures latency, if the first one does not. */
  paced?(baseUrl: string, seconds: number): Job;
}

/** The aim for one core: a number per second, or a share of the baseline's throughput. */
export type Aim = { perSecond: number } | { shareOfBaseline: number };

/** Number of connections of an HTTP scenario. */
const CONNECTIONS = 32;
/** Number of connections for sign-ins; fewer, because each argon2id verification occupies a thread. */
const SIGN_IN_CONNECTIONS = 8;
/** Number of signals in flight in a fan-out. */
const WINDOW = 8;

const USER_FIELDS = `id databaseId login email externalId facebookId twitterId fullName phone website
  customData tags avatar timezone isGuest lastRequestAt createdAt updatedAt`;

/** All scenarios in the order of measurement. */
export function scenarios(seed: Seed, signing: Signing): Scenario[] {
  const load = (requests: LoadRequest[], signed = false) => {
    const connections = signed ? SIGN_IN_CONNECTIONS : CONNECTIONS;
    return (baseUrl: string, seconds: number): Job => ({
      kind: "load",
      baseUrl,
      seconds,
      connections,
      requests,
      signing: signed ? signing : undefined,
    });
  };
  const withTokens = (request: LoadRequest): LoadRequest[] =>
    seed.tokens.map((token) => ({
      ...request,
      headers: { ...request.headers, "svc-token": token },
    }));
  const signIns = seed.logins.map((login): LoadRequest => {
    const body = { user: { login, password: PASSWORD } };
    return { method: "POST", path: "/session", body };
  });
  const fanOut =
    (bare: boolean, window: number) =>
    (baseUrl: string, seconds: number): Job => ({
      kind: "fan-out",
      bare,
      window,
      seconds,
      url: `${baseUrl.replace("http", "ws")}/graphql`,
      receivers: seed.devices.tokens,
      sender: seed.tokens[0] ?? "",
      userId: seed.devices.userId,
    });

  const session = withTokens({ method: "GET", path: "/session" });
  const rest = withTokens({ method: "GET", path: `/users/v2?user_tags=${seed.tag}` });
  const query = `query ($filter: UserFilter!) {
    users(filter: $filter) { totalCount nodes { ${USER_FIELDS} } } }`;
  const graphql = withTokens({
    method: "POST",
    path: "/graphql",
    body: { query, variables: { filter: { userTags: { eq: seed.tag } } } },
  });
  const anonymous: LoadRequest[] = [{ method: "POST", path: "/session", body: {} }];
  const password: LoadRequest[] = [
    { method: "POST", path: "/session", body: { password: PASSWORD } },
  ];
  const baselineUsers = [{ method: "GET" as const, path: `/users?tag=${seed.tag}` }];
  const hello = [{ method: "GET" as const, path: "/hello" }];

  return [
    { name: "hello", subject: "baseline", job: load(hello) },
    { name: "session and user, one prepared select", subject: "baseline", job: load(session) },
    { name: "100 users, one prepared select", subject: "baseline", job: load(baselineUsers) },
    { name: "one argon2id verification", subject: "baseline", job: load(password, true) },
    {
      name: "to 100 bare sockets",
      subject: "baseline",
      job: fanOut(true, WINDOW),
      paced: fanOut(true, 0),
    },
    {
      name: "GET /session",
      subject: "single",
      job: load(session),
      baseline: "session and user, one prepared select",
      aim: { perSecond: 15_000 },
    },
    {
      name: "100 users by REST",
      subject: "single",
      job: load(rest),
      baseline: "100 users, one prepared select",
      aim: { perSecond: 1_400 },
    },
    {
      name: "100 users by GraphQL",
      subject: "single",
      job: load(graphql),
      baseline: "100 users, one prepared select",
      aim: { perSecond: 1_000 },
    },
    {
      name: "POST /session, of a user",
      subject: "single",
      job: load(signIns, true),
      baseline: "one argon2id verification",
      aim: { shareOfBaseline: 0.8 },
    },
    {
      name: "POST /session, of the application",
      subject: "single",
      job: load(anonymous, true),
    },
    {
      name: "signals to 100 subscribers",
      subject: "single",
      baseline: "to 100 bare sockets",
      job: fanOut(false, WINDOW),
      paced: fanOut(false, 0),
      aim: { perSecond: 80_000 },
    },
    {
      name: "GET /session",
      subject: "redis",
      job: load(session),
      baseline: "session and user, one prepared select",
      aim: { perSecond: 10_000 },
    },
    {
      name: "100 users by REST",
      subject: "redis",
      job: load(rest),
      baseline: "100 users, one prepared select",
    },
    {
      name: "signals to 100 subscribers",
      subject: "redis",
      baseline: "to 100 bare sockets",
      job: fanOut(false, WINDOW),
      paced: fanOut(false, 0),
      aim: { perSecond: 80_000 },
    },
  ] satisfies Scenario[];
}
