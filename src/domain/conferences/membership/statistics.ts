import { Fault } from "../../../core/errors";
import type { ListLoader } from "../../../core/loads/batch-loader";
import type { SharedLoads } from "../../../core/loads/shared-loads";
import type { MediaSource, PeerStatistics } from "../engine/engine";
import type { Conference } from "../model/conference";
import type { MemberStats } from "../peers/peer";
import type { ConferenceDeps } from "../rooms/conference-deps";
import type { Member } from "../rows/member-queries";

/** What those who ask on a node share. */
export interface StatisticsLoads {
  /** What the host of a conference has last reported, by the conference's id. */
  stats: SharedLoads<MemberStats[]>;
}

/** What the media server has last reported of a peer connection of a member. */
interface MemberStatistics extends PeerStatistics {
  /** The member's number. */
  memberId: number;
  /** What the peer connection publishes; null for one that receives. */
  source: MediaSource | null;
}

/**
 * Reads from the host of a conference what the media server has last reported of its members' peer connections. Empty if
 * no node hosts the conference, or the host does not answer.
 */
export async function findStatistics(
  {
    hosts,
    enabled,
    memberLoader,
    stats: loads,
  }: Pick<ConferenceDeps, "hosts" | "enabled"> &
    StatisticsLoads & { memberLoader: ListLoader<Member> },
  { id, host, closedAt }: Conference,
): Promise<MemberStatistics[]> {
  if (!enabled || host === null || closedAt !== null) return [];
  let stats: MemberStats[];
  try {
    stats = await loads.load(String(id), () => hosts.run(id, "figures"));
  } catch (error) {
    if (error instanceof Fault) return [];
    throw error;
  }
  const members = await memberLoader.load(id);
  const numbers = new Map(members.map(({ id: memberId, number }) => [memberId, number]));
  return stats.flatMap(({ memberId, source, statistics }) => {
    const number = numbers.get(memberId);
    return number === undefined ? [] : [{ memberId: number, source, ...statistics }];
  });
}
