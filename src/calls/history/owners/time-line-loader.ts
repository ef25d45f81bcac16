import type { Store } from "../../../store/store";
import { findTimeLines, type TimeLineRow } from "../timeline/time-line-queries";

/** Loads the time lines of several calls of a list with one query. */
export class TimeLineLoader {
  private batch: { ids: Set<number>; rows: Promise<Map<number, TimeLineRow[]>> } | null = null;

  constructor(private readonly store: Pick<Store, "query">) {}

  /** Returns the time line of a call, in the order of its signals. */
  async load(callId: number): Promise<TimeLineRow[]> {
    this.batch ??= this.startBatch();
    const { ids, rows } = this.batch;
    ids.add(callId);
    return (await rows).get(callId) ?? [];
  }

  private startBatch(): { ids: Set<number>; rows: Promise<Map<number, TimeLineRow[]>> } {
    const ids = new Set<number>();
    const rows = new Promise<Map<number, TimeLineRow[]>>((resolve, reject) => {
      // All fields of a list are resolved before the next turn of the event loop.
      setImmediate(() => {
        this.batch = null;
        this.query([...ids]).then(resolve, reject);
      });
    });
    return { ids, rows };
  }

  private async query(ids: number[]): Promise<Map<number, TimeLineRow[]>> {
    const byCall = new Map<number, TimeLineRow[]>(ids.map((id) => [id, []]));
    for (const row of await findTimeLines(this.store, ids)) byCall.get(row.call_id)?.push(row);
    return byCall;
  }
}
