import { BatchLoader } from "../../../core/loads/batch-loader";
import { SharedLoads } from "../../../core/loads/shared-loads";
import type { Log } from "../../../core/log";
import type { Bus } from "../../../platform/bus/bus";
import { watchChanges } from "../../../platform/bus/watch-changes";
import type { Store } from "../../../platform/store/store";
import { channelOfConferences } from "../events/application-channel";
import type { Conference } from "../model/conference";
import { findLiveConferences } from "../rows/application-conference-queries";
import { findConferences } from "../rows/conference-queries";

/** Dependencies of the subscription. */
export interface ConferenceWatchDeps {
  store: Pick<Store, "query">;
  bus: Bus;
  log: Log;
  conferenceLoads: ConferenceLoads;
}

/** What the subscriptions of a node share. */
export interface ConferenceLoads {
  /** Conferences of any application; to which one they belong is checked afterwards. */
  byId: BatchLoader<number, Conference>;
  /** The ids of the live conferences of an application, by its id, newest first. */
  live: SharedLoads<number[]>;
}

/** Opens the loads of a node. */
export function openConferenceLoads(store: Pick<Store, "query">): ConferenceLoads {
  const byId = new BatchLoader(async (ids: number[]) => {
    const conferences = await findConferences(store, ids);
    return new Map(conferences.map((conference) => [conference.id, conference]));
  });
  return { byId, live: new SharedLoads() };
}

/** Maximum number of live conferences that a subscription begins with: the newest. */
const LIVE_MAX = 1_000;

/** Yields the live conferences of an application, or one of any state, then each that changes, in batches. */
export function watchConferences(
  { store, bus, log, conferenceLoads }: ConferenceWatchDeps,
  applicationId: number,
  only: number | null,
): Promise<AsyncIterableIterator<Conference[]>> {
  // The open conferences that the subscriber knows, with their last changes, so that it learns of those that were missed.
  const open = new Map<number, number>();
  const findLive = () =>
    conferenceLoads.live.load(String(applicationId), () =>
      findLiveConferences(store, applicationId, LIVE_MAX),
    );
  const current = async () => {
    const live = only === null ? await findLive() : [only];
    return [...open.keys(), ...live.toReversed()];
  };
  const find = async (ids: readonly number[]) =>
    (await conferenceLoads.byId.loadAll(ids)).filter(
      (each) => each.applicationId === applicationId,
    );
  return watchChanges(
    { bus, log },
    {
      channel: channelOfConferences(applicationId),
      changedBy: (message) => [Number(message)].filter((id) => only === null || only === id),
      current,
      async changed() {
        const stored = await find(await current());
        const changed = stored.filter(
          ({ id, closedAt, sequence }) =>
            open.get(id) !== (closedAt === null ? sequence : undefined),
        );
        return changed.map(({ id }) => id);
      },
      async load(ids) {
        const conferences = await find(ids);
        for (const id of ids) open.delete(id);
        for (const { id, closedAt, sequence } of conferences) {
          if (closedAt === null) open.set(id, sequence);
          const [oldest] = open.keys();
          if (open.size > LIVE_MAX && oldest !== undefined) open.delete(oldest);
        }
        return conferences;
      },
    },
  );
}
