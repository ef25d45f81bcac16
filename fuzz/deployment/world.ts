import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sign } from "../../src/identity/session/signature";
import type { Random } from "../../test/support/noise";
import { pick } from "../input/random";
import type { NodeProcess } from "./node-process";

/** What clients of an application sign with. */
export interface ApplicationKeys {
  id: number;
  authKey: string;
  authSecret: string;
}

/** A user who has a session. */
export interface FuzzUser {
  applicationId: number;
  id: number;
  login: string;
  /** None of a guest. */
  password?: string;
  token: string;
}

/** Applications made at the start: inputs with small numbers meet the ones before the last. */
const APPLICATIONS = 12;
/** Milliseconds between two looks at one session. */
const RECHECK_MS = 500;
const PASSWORD = "correct horse";

/**
 * The applications and users that inputs are about. Inputs end sessions, delete users and change
 * passwords, so that who is refused is replaced. The canary has an application of its own, which no input
 * of an owner names.
 */
export class World {
  readonly #users: FuzzUser[] = [];
  readonly #applicationTokens: string[] = [];
  #ownerToken = "";
  readonly #checked = new Set<FuzzUser>();
  readonly #renewals = new Map<string, Promise<void>>();

  constructor(
    readonly node: NodeProcess,
    private readonly owner: { email: string; password: string },
    readonly accountKey: string,
    /** Where users of inputs are. */
    readonly application: ApplicationKeys,
    /** What inputs of the owner are about. */
    readonly victim: ApplicationKeys,
    readonly canary: ApplicationKeys,
  ) {}

  /** Makes those who inputs come from. */
  async fill(): Promise<void> {
    await this.#renewOwner();
    for (let count = 0; count < 4; count += 1) {
      this.#applicationTokens.push((await this.createSession({})).token);
      this.#users.push(await this.newUser(), await this.newGuest());
    }
  }

  /** A user, with a password or a guest. */
  user(random: Random): FuzzUser {
    return pick(random, this.#users);
  }

  /** A good token of a kind that requests come with, or none, or a bad one. */
  token(random: Random, owner = 10): string | undefined {
    const kind = random(100);
    if (kind < owner) return this.#ownerToken;
    if (kind < 65) return this.user(random).token;
    if (kind < 80) return pick(random, this.#applicationTokens);
    if (kind < 92) return undefined;
    return pick(random, ["", "x", "acct_x", "a".repeat(43), "undefined"]);
  }

  /** Whether a token is the owner's. */
  isOwner = (token: string | undefined): boolean => token === this.#ownerToken;

  /** Puts a fresh session in the place of one that is refused. */
  replace(token: string | undefined): Promise<void> {
    if (token === undefined) return Promise.resolve();
    const known = this.#renewals.get(token);
    if (known) return known;
    const work = this.#renew(token).catch(() => undefined);
    this.#renewals.set(token, work);
    return work.finally(() => this.#renewals.delete(token));
  }

  /** Looks whether a user's token that was refused something still is a user's. */
  async recheck(token: string | undefined): Promise<void> {
    const user = this.#users.find((each) => each.token === token);
    if (!user || this.#checked.has(user)) return;
    this.#checked.add(user);
    setTimeout(() => this.#checked.delete(user), RECHECK_MS).unref();
    const headers = { "Svc-Token": user.token };
    const response = await fetch(`${this.node.urls.http}/session`, { headers });
    const body = (await response.json()) as { session?: { user_id?: unknown } };
    if (body.session?.user_id !== user.id) await this.replace(token);
  }

  async #renew(token: string): Promise<void> {
    if (token === this.#ownerToken) return this.#renewOwner();
    const place = this.#users.findIndex((user) => user.token === token);
    if (place >= 0) this.#users[place] = await this.newGuest();
    const other = this.#applicationTokens.indexOf(token);
    if (other >= 0) this.#applicationTokens[other] = (await this.createSession({})).token;
  }

  async #renewOwner(): Promise<void> {
    const query = "mutation ($input: SignInOwnerInput!) { signInOwner(input: $input) { token } }";
    const { signInOwner } = await ask(this.node, query, { input: this.owner });
    this.#ownerToken = signInOwner.token;
  }

  /** The parameters of POST /session, signed over the four mandatory ones. */
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

  /** A session of an application, or of a user whom the parameters name. */
  async createSession(more: object, keys = this.application) {
    const { session } = await post(this.node, "/session", { ...this.signed(keys), ...more });
    return session as { id: number; token: string; user: { id: number; login: string } };
  }

  /** A guest costs no hash of a password. */
  async newGuest(keys = this.application): Promise<FuzzUser> {
    const { token, user } = await this.createSession({ user: { guest: 1 } }, keys);
    return { applicationId: keys.id, id: user.id, login: user.login, token };
  }

  /** A user with a password. */
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

/** Makes applications and users on a node that was just started for the first time. */
export async function prepareWorld(node: NodeProcess, dataDir: string): Promise<World> {
  const read = (name: string) => JSON.parse(readFileSync(join(dataDir, name), "utf8"));
  const owner = read("owner.json");
  const first = read("credentials.json");
  const signIn = "mutation ($input: SignInOwnerInput!) { signInOwner(input: $input) { token } }";
  const { signInOwner } = await ask(node, signIn, { input: owner });
  const create = `mutation ($input: CreateApplicationInput!) {
    createApplication(input: $input) { application { id authKey authSecret } }
  }`;
  const applications: ApplicationKeys[] = [];
  for (let count = 0; count < APPLICATIONS; count += 1) {
    const input = { name: `Application ${count}` };
    const { createApplication } = await ask(node, create, { input }, signInOwner.token);
    const { id, ...keys } = createApplication.application;
    applications.push({ id: Number(id), ...keys });
  }
  const [application, victim] = applications;
  const canary = applications.at(-1);
  if (!application || !victim || !canary) throw new Error("no applications were made");
  const world = new World(node, owner, first.account_key, application, victim, canary);
  await world.fill();
  return world;
}

/** An answer is looked into freely, as tests do. */
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

/** Runs an operation; fails where it has errors. */
export async function ask(
  node: NodeProcess,
  query: string,
  variables: object,
  token?: string,
): Promise<Answer> {
  const { data, errors } = await post(node, "/graphql", { query, variables }, token);
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}
