import type { Store } from "../../store/store";
import { findMembersOf, type Member } from "../rows/member-queries";

/** Loads the members of several conferences of a list with one query. */
export class MemberLoader {
  private batch: { ids: Set<number>; members: Promise<Map<number, Member[]>> } | null = null;

  constructor(private readonly store: Pick<Store, "query">) {}

  /** Returns the members of a conference, by the time they joined. */
  async load(conferenceId: number): Promise<Member[]> {
    this.batch ??= this.startBatch();
    const { ids, members } = this.batch;
    ids.add(conferenceId);
    return (await members).get(conferenceId) ?? [];
  }

  private startBatch(): { ids: Set<number>; members: Promise<Map<number, Member[]>> } {
    const ids = new Set<number>();
    const members = new Promise<Map<number, Member[]>>((resolve, reject) => {
      // All fields of a list are resolved before the next turn of the event loop.
      setImmediate(() => {
        this.batch = null;
        this.query([...ids]).then(resolve, reject);
      });
    });
    return { ids, members };
  }

  private async query(ids: number[]): Promise<Map<number, Member[]>> {
    const byConference = new Map<number, Member[]>(ids.map((id) => [id, []]));
    for (const member of await findMembersOf(this.store, ids)) {
      byConference.get(member.conferenceId)?.push(member);
    }
    return byConference;
  }
}
