import type { Store } from "../../store/store";
import type { PushEnvironment, PushService } from "../channel";
import type { ShownCredentials } from "./stored-credentials";

/** Credentials of an application as they may be shown: nothing of them is secret. */
export interface ListedCredentials {
  applicationId: number;
  environment: PushEnvironment;
  service: PushService;
  settings: ShownCredentials;
  updatedAt: Date;
}

const LIST = {
  name: "push_credentials_of_applications",
  text: `SELECT application_id AS "applicationId", environment::text, service::text, settings,
      updated_at AS "updatedAt"
    FROM push_credentials WHERE application_id = ANY($1::bigint[]) ORDER BY id`,
};

/** Lists credentials; what is asked for in one turn of the event loop is one read of the database. */
export class CredentialLists {
  private waiting: { ids: Set<number>; rows: Promise<ListedCredentials[]> } | null = null;

  constructor(private readonly store: Pick<Store, "query">) {}

  /** The credentials of an application, oldest first. @throws Fault UNAVAILABLE */
  async of(applicationId: number): Promise<ListedCredentials[]> {
    this.waiting ??= this.begin();
    const { ids, rows } = this.waiting;
    ids.add(applicationId);
    return (await rows).filter((row) => row.applicationId === applicationId);
  }

  private begin() {
    const ids = new Set<number>();
    const rows = new Promise<ListedCredentials[]>((resolve) => {
      setImmediate(() => {
        this.waiting = null;
        resolve(this.store.query<ListedCredentials>(LIST, [[...ids]]));
      });
    });
    return { ids, rows };
  }
}
