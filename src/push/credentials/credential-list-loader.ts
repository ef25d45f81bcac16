import type { Store } from "../../store/store";
import type { PushEnvironment, PushService } from "../channels/channel";
import type { CredentialSettings } from "./sealed-credentials";

/** Credentials of an application without their secrets. */
export interface ListedCredentials {
  applicationId: number;
  environment: PushEnvironment;
  service: PushService;
  settings: CredentialSettings;
  updatedAt: Date;
}

const LIST = {
  name: "push_credentials_of_applications",
  text: `SELECT application_id AS "applicationId", environment::text, service::text, settings,
      updated_at AS "updatedAt"
    FROM push_credentials WHERE application_id = ANY($1::bigint[]) ORDER BY id`,
};

/** Lists credentials, with one query for all applications requested in one turn of the event loop. */
export class CredentialListLoader {
  private batch: { ids: Set<number>; rows: Promise<ListedCredentials[]> } | null = null;

  constructor(private readonly store: Pick<Store, "query">) {}

  /** Lists the credentials of an application, oldest first. @throws Fault UNAVAILABLE */
  async load(applicationId: number): Promise<ListedCredentials[]> {
    this.batch ??= this.startBatch();
    const { ids, rows } = this.batch;
    ids.add(applicationId);
    return (await rows).filter((row) => row.applicationId === applicationId);
  }

  private startBatch() {
    const ids = new Set<number>();
    const rows = new Promise<ListedCredentials[]>((resolve) => {
      setImmediate(() => {
        this.batch = null;
        resolve(this.store.query<ListedCredentials>(LIST, [[...ids]]));
      });
    });
    return { ids, rows };
  }
}
