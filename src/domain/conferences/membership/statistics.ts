import { Fault } from "../../../core/errors";
import type { ListLoader } from "../../../core/loads/batch-loader";
import type { SharedLoads } from "../../../core/loads/shared-loads";
import type { MediaSource, PeerStatistics } from "../engine/engine";
import type { Conference } from "../model/conference";
import type { ParticipantStats } from "../peers/peer";
import type { ConferenceDeps } from "../rooms/conference-deps";
import type { Participant } from "../rows/participant-queries";

/** What those who ask on a node share. */
export interface StatisticsLoads {
  /** What the host of a conference has last reported, by the conference's id. */
  stats: SharedLoads<ParticipantStats[]>;
}

/** What the media server has last reported of a peer connection of a participant. */
interface ParticipantStatistics extends PeerStatistics {
  /** The participant's number. */
  participantId: number;
  /** What the peer connection publishes; null for one that receives. */
  source: MediaSource | null;
}

/**
 * Reads from the host of a conference what the media server has last reported of its participants' peer connections.
 * Empty if no node hosts the conference, or the host does not answer.
 */
export async function findStatistics(
  {
    hosts,
    enabled,
    participantLoader,
    stats: loads,
  }: Pick<ConferenceDeps, "hosts" | "enabled"> &
    StatisticsLoads & { participantLoader: ListLoader<Participant> },
  { id, host, closedAt }: Conference,
): Promise<ParticipantStatistics[]> {
  if (!enabled || host === null || closedAt !== null) return [];
  let stats: ParticipantStats[];
  try {
    stats = await loads.load(String(id), () => hosts.run(id, "figures"));
  } catch (error) {
    if (error instanceof Fault) return [];
    throw error;
  }
  const participants = await participantLoader.load(id);
  const numbers = new Map(
    participants.map(({ id: participantId, number }) => [participantId, number]),
  );
  return stats.flatMap(({ participantId, source, statistics }) => {
    const number = numbers.get(participantId);
    return number === undefined ? [] : [{ participantId: number, source, ...statistics }];
  });
}
