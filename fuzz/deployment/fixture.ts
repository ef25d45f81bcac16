import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sign } from "../../src/domain/sessions/signature";
import type { Random } from "../../tools/seeded-random";
import { chance, pick } from "../input/random";
import type { NodeProcess } from "./node-process";

/** The keys that clients of an application sign requests with. */
export interface ApplicationKeys {
  id: number;
  authKey: string;
  authSecret: string;
}

/** A user with a session. */
export interface FuzzUser {
  applicationId: number;
  id: number;
  login: string;
  /** Undefined for a guest. */
  password?: string;
  token: string;
}

/** Number of applications. Small random ids in inputs refer to all but the last, which is the canary's. */
const APPLICATIONS = 12;
/** Minimum time between two checks of one session, in milliseconds. */
const RECHECK_MS = 500;
const PASSWORD = "correct horse";
const TOKEN_LENGTH = 43;
const TOKEN_CHARACTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"];

/**
 * The applications and users that inputs refer to. Inputs end sessions, delete users and change passwords, so
 * users whose sessions become invalid are replaced. The canary has its own application, which the owner's
 * inputs do not touch.
 */
export class Fixture {
  private readonly users: FuzzUser[] = [];
  private readonly applicationTokens: string[] = [];
  /** Tokens of sessions that have ended. */
  private readonly endedTokens: string[] = [];
  private ownerToken = "";
  private readonly checked = new Set<FuzzUser>();
  private readonly renewals = new Map<string, Promise<void>>();

  constructor(
    readonly node: NodeProcess,
    private readonly owner: { email: string; password: string },
    readonly accountKey: string,
    /** Application of the users. */
    readonly application: ApplicationKeys,
    /** Application that the owner's inputs refer to. */
    readonly victim: ApplicationKeys,
    readonly canary: ApplicationKeys,
  ) {}

  /** Creates the users and sessions. */
  async createUsers(): Promise<void> {
    await this.renewOwner();
    for (let count = 0; count < 4; count += 1) {
      this.applicationTokens.push((await this.createSession({})).token);
      this.users.push(await this.newUser(), await this.newGuest());
      for (const { token } of [await this.createSession({}), await this.newGuest()]) {
        await this.endSession(token);
        this.endedTokens.push(token);
      }
    }
  }

  /** A random user: with a password, or a guest. */
  user(random: Random): FuzzUser {
    return pick(random, this.users);
  }

  /** What has the form of a token and is none: the token of a session that has ended, or random characters. */
  refusedToken(random: Random): string {
    if (chance(random, 60)) return pick(random, this.endedTokens);
    return Array.from({ length: TOKEN_LENGTH }, () => pick(random, TOKEN_CHARACTERS)).join("");
  }

  /** A valid token of a random kind, an invalid one, or none. @param owner percentage of owner tokens */
  token(random: Random, owner = 10): string | undefined {
    const kind = random(100);
    if (kind < owner) return this.ownerToken;
    if (kind < 65) return this.user(random).token;
    if (kind < 80) return pick(random, this.applicationTokens);
    if (kind < 92) return undefined;
    return pick(random, ["", "x", "acct_x", "undefined", this.refusedToken(random)]);
  }

  /** Whether a token belongs to the owner. */
  isOwner = (token: string | undefined): boolean => token === this.ownerToken;

  /** Replaces an invalid session by a new one. */
  replace(token: string | undefined): Promise<void> {
    if (token === undefined) return Promise.resolve();
    const known = this.renewals.get(token);
    if (known) return known;
    const work = this.renew(token).catch(() => undefined);
    this.renewals.set(token, work);
    return work.finally(() => this.renewals.delete(token));
  }

  /** Checks whether a user's token is still valid after a refusal, and replaces it otherwise. */
  async recheck(token: string | undefined): Promise<void> {
    const user = this.users.find((each) => each.token === token);
    if (!user || this.checked.has(user)) return;
    this.checked.add(user);
    setTimeout(() => this.checked.delete(user), RECHECK_MS).unref();
    const headers = { "Svc-Token": user.token };
    const response = await fetch(`${this.node.urls.http}/session`, { headers });
    const body = (await response.json()) as { session?: { user_id?: unknown } };
    if (body.session?.user_id !== user.id) await this.replace(token);
  }

  private async renew(token: string): Promise<void> {
    if (token === this.ownerToken) return this.renewOwner();
    const place = this.users.findIndex((user) => user.token === token);
    if (place >= 0) this.users[place] = await this.newGuest();
    const other = this.applicationTokens.indexOf(token);
    if (other >= 0) this.applicationTokens[other] = (await this.createSession({})).token;
  }

  private async renewOwner(): Promise<void> {
    const query = "mutation ($input: SignInMemberInput!) { signInMember(input: $input) { token } }";
    const { signInMember } = await execute(this.node, query, { input: this.owner });
    this.ownerToken = signInMember.token;
  }

  /** Parameters of POST /session with a signature over the four mandatory ones. */
  signed(keys = this.application): Record<string, string | number> {
    const parameters = {
      application_id: keys.id,
      auth_key: keys.authKey,
      nonce: randomInt(2 ** 47),
      timestamp: Math.floor(Date.now() / 1000),
    };
    const line = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
    return { ...parameters, signature: sign(line.join("&"), keys.authSecret) };
  }

  /** Creates an application session, or a session of the user in the parameters. */
  async createSession(more: object, keys = this.application) {
    const { session } = await post(this.node, "/session", { ...this.signed(keys), ...more });
    return session as { id: number; token: string; user: { id: number; login: string } };
  }

  private async endSession(token: string): Promise<void> {
    const headers = { "Svc-Token": token };
    const { ok } = await fetch(`${this.node.urls.http}/session`, { method: "DELETE", headers });
    if (!ok) throw new Error("a session could not be ended");
  }

  /** Creates a guest, which is cheap because no password is hashed. */
  async newGuest(keys = this.application): Promise<FuzzUser> {
    const { token, user } = await this.createSession({ user: { guest: 1 } }, keys);
    return { applicationId: keys.id, id: user.id, login: user.login, token };
  }

  /** Creates a user with a password. */
  async newUser(): Promise<FuzzUser> {
    const { token } = await this.createSession({});
    const login = `fuzz-${randomInt(2 ** 40)}`;
    const fields = { login, password: PASSWORD, email: `${login}@example.com`, tag_list: "a,b" };
    const { user } = await post(this.node, "/users", { user: fields }, token);
    const session = await this.createSession({ user: { login, password: PASSWORD } });
    const applicationId = this.application.id;
    return { applicationId, id: user.id, login, password: PASSWORD, token: session.token };
  }
}

/** Creates the applications and users on a new node. */
export async function createFixture(node: NodeProcess, dataDir: string): Promise<Fixture> {
  const read = (name: string) => JSON.parse(readFileSync(join(dataDir, name), "utf8"));
  const owner = read("owner.json");
  const first = read("credentials.json");
  const signIn = "mutation ($input: SignInMemberInput!) { signInMember(input: $input) { token } }";
  const { signInMember } = await execute(node, signIn, { input: owner });
  const create = `mutation ($input: CreateApplicationInput!) {
    createApplication(input: $input) { application { id authKey authSecret } }
  }`;
  const applications: ApplicationKeys[] = [];
  for (let count = 0; count < APPLICATIONS; count += 1) {
    const input = { name: `Application ${count}` };
    const { createApplication } = await execute(node, create, { input }, signInMember.token);
    const { id, ...keys } = createApplication.application;
    applications.push({ id: Number(id), ...keys });
  }
  const [application, victim] = applications;
  const canary = applications.at(-1);
  if (!application || !victim || !canary) throw new Error("no applications were made");
  const fixture = new Fixture(node, owner, first.account_key, application, victim, canary);
  await fixture.createUsers();
  return fixture;
}

/** Responses are untyped, as in tests. */
// biome-ignore lint/suspicious/noExplicitAny: of the driver's own requests, which the node answers
type Answer = any;

async function post(
  node: NodeProcess,
  path: string,
  body: object,
  token?: string,
): Promise<Answer> {
  const response = await fetch(`${node.urls.http}${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(token ? { "Svc-Token": token } : {}) },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${path} answered ${response.status} ${text}`);
  return JSON.parse(text);
}

/** Runs an operation. @throws Error if it has errors */
export async function execute(
  node: NodeProcess,
  query: string,
  variables: object,
  token?: string,
): Promise<Answer> {
  const { data, errors } = await post(node, "/graphql", { query, variables }, token);
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}
