import { PGlite } from "@electric-sql/pglite";
import type { MigrationConnection } from "../../../src/platform/store/migration/stoppable-connection";
import {
  embeddedConnection,
  openServerConnection,
} from "../../../src/platform/store/migration-connection";
import { type FreshDatabase, freshServices, hasServices } from "./database";

/** An empty database to migrate. */
export interface MigrationDatabase {
  connection: MigrationConnection;
  /** Opens another connection to the same database; absent for the embedded one. */
  another?(): Promise<{ connection: MigrationConnection; close(): Promise<void> }>;
  close(): Promise<void>;
}

/** The database of this run: PostgreSQL if it uses services, else the embedded one. */
export const MIGRATION_DATABASE: { name: string; open(): Promise<MigrationDatabase> } = hasServices
  ? {
      name: "postgresql",
      open: async () => {
        const database: FreshDatabase = await freshServices("template0");
        const another = () => openServerConnection(database.environment.DATABASE_URL ?? "");
        const { connection, close } = await another();
        return {
          connection,
          another,
          close: async () => {
            await close();
            await database.remove();
          },
        };
      },
    }
  : {
      name: "embedded",
      open: async () => {
        const lite = await PGlite.create();
        return { connection: embeddedConnection(lite), close: () => lite.close() };
      },
    };
