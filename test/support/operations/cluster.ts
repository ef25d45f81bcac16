import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import type { ServerCredentials } from "../../../demo/server";
import { addOwners } from "../calls/phones/owners";
import type { Owner } from "../calls/phones/phone";
import { DOMAIN } from "../chat/chat";
import { NO_RATES } from "../node";
import { type ServiceProcess, startProcess } from "../process";
import { type FreshDatabase, freshServices } from "./database";

interface Member {
  process: ServiceProcess;
  graphqlUrl: string;
  chatUrl: string;
  up: boolean;
}

/** Several nodes in separate processes, on one PostgreSQL and one Redis. */
export class Cluster {
  private readonly members: Member[] = [];
  private applicationId = 0;
  private crowds = 0;

  private constructor(
    private readonly database: FreshDatabase,
    /** One for all statements of a test, which repeats some until they have the wanted result. */
    private readonly connection: Client,
    private readonly environment: Record<string, string>,
  ) {}

  /** @param environment in addition to the database's, for example REDIS_URL */
  static async start(count: number, environment: Record<string, string>): Promise<Cluster> {
    const database = await freshServices();
    const connection = new Client({ connectionString: database.environment.DATABASE_URL });
    await connection.connect();
    const cluster = new Cluster(database, connection, environment);
    await cluster.startNode(0);
    // The first one has created the application.
    const others = Array.from({ length: count - 1 }, (_, index) => cluster.startNode(index + 1));
    await Promise.all(others);
    return cluster;
  }

  /** The running nodes. */
  readonly runningNodes = () => this.members.filter(({ up }) => up);

  async startNode(index: number): Promise<void> {
    const process = startProcess({
      ...this.database.environment,
      ...NO_RATES,
      CHAT_DOMAIN: DOMAIN,
      ...this.environment,
    });
    const { graphql, chat } = await process.ready();
    this.members[index] = { process, graphqlUrl: graphql, chatUrl: chat.ws ?? "", up: true };
    if (this.applicationId === 0) this.applicationId = this.credentials().application_id;
  }

  /** The credentials that the first node has written. */
  credentials(): ServerCredentials {
    const path = join(this.database.environment.DATA_DIR ?? "", "credentials.json");
    return JSON.parse(readFileSync(path, "utf8"));
  }

  /** Stops a node. @returns its exit code or signal */
  async stopNode(index: number, signal: NodeJS.Signals): Promise<number | NodeJS.Signals> {
    const member = this.members[index]!;
    member.up = false;
    member.process.child.kill(signal);
    return member.process.exited;
  }

  /** Creates users with a session each. */
  createUsers(count: number): Promise<Owner[]> {
    const sql = <Row>(text: string, values: unknown[]) => this.sql<Row>(text, values);
    return addOwners(sql, this.applicationId, `phone-${++this.crowds}-`, count);
  }

  /** Runs a statement of a test on the database. */
  async sql<Row>(statement: string, parameters: unknown[] = []): Promise<Row[]> {
    return (await this.connection.query(statement, parameters)).rows;
  }

  output(): string {
    return this.members.map(({ process }) => process.output()).join("\n");
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map((_, index) => this.stopNode(index, "SIGKILL")));
    await this.connection.end();
    await this.database.remove();
  }
}
