import type { Store } from "../../store/store";
import { type ListedCredentials, listStoredCredentials } from "./credential-queries";

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
        resolve(listStoredCredentials(this.store.query, [...ids]));
      });
    });
    return { ids, rows };
  }
}
