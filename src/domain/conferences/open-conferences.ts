import type { Lifecycle } from "../../core/lifecycle";
import { ListLoader } from "../../core/loads/batch-loader";
import { SharedLoads } from "../../core/loads/shared-loads";
import type { LinkGuestViewer } from "../../core/viewer";
import type { Jobs } from "../../platform/jobs/jobs";
import type { SessionEvents } from "../session-events/session-events";
import { isSessionOfUser } from "../sessions/session-activity-queries";
import { EventReaders } from "./events/event-readers";
import type { HostDeps } from "./host/host-deps";
import { HostRegistry } from "./host/host-registry";
import { HostRouter } from "./host/host-router";
import type { InvitationLoads } from "./invitations/invitation.type";
import { openConferenceService } from "./membership/conference-service";
import type { MembershipDeps } from "./membership/membership-deps";
import type { StatisticsLoads } from "./membership/statistics";
import type { ConferenceService } from "./model/conference-service";
import type { OpenConferenceEngine } from "./open-engine";
import { type ListingLoads, openListingLoads } from "./rooms/access";
import { closeEndedGuestConnections, findLinkGuest } from "./rooms/links";
import { type ConferenceLoads, openConferenceLoads } from "./rooms/watch-conferences";
import { deleteClosedConferences } from "./rows/conference-queries";
import { findSeatedParticipantsOf, type Participant } from "./rows/participant-queries";

/** Dependencies of the module. */
export type ConferenceModuleDeps = Pick<
  HostDeps & MembershipDeps,
  | "store"
  | "bus"
  | "clock"
  | "log"
  | "config"
  | "metrics"
  | "counters"
  | "mayCreateOnJoin"
  | "countNewCall"
> & {
  jobs: Jobs;
  sessionEvents: SessionEvents;
  /** Identifier of this node, by which others address it. */
  nodeId: string;
  singleNode: boolean;
  openEngine: OpenConferenceEngine;
};

/** The open module. */
export interface ConferenceModule
  extends MembershipDeps,
    StatisticsLoads,
    Pick<HostDeps, "bus" | "log"> {
  service: ConferenceService;
  /** Name of the media server; null with CONFERENCES=off. */
  engineName: string | null;
  /** The participants of conferences, by the time they joined. */
  participantLoader: ListLoader<Participant>;
  listings: ListingLoads["listings"];
  conferenceLoads: ConferenceLoads;
  invitationLoads: InvitationLoads;
  /** Finds the guest of a token. @throws Fault UNAUTHENTICATED */
  findLinkGuest(token: string): Promise<LinkGuestViewer>;
}

/** Interval of the job that takes over what dead nodes have left behind, in seconds. */
const ADOPT_SECONDS = 15;
/** Interval of the job that deletes old conferences, in seconds. */
const PURGE_SECONDS = 3_600;
const PURGE_BATCH = 500;
const DAY_MS = 86_400_000;

/** Opens conferences on this node, and starts their jobs. */
export async function openConferences(
  deps: ConferenceModuleDeps,
  lifecycle: Lifecycle,
): Promise<ConferenceModule> {
  const { store, bus, clock, log, config, jobs, sessionEvents, singleNode } = deps;
  let registry: HostRegistry | null = null;
  const engine = await deps.openEngine((event) => registry?.onEngineEvent(event));
  lifecycle.add("media server", async () => engine?.shutdown());
  const hostDeps: HostDeps = {
    store,
    bus,
    clock,
    log,
    metrics: deps.metrics,
    sessionEvents,
    engine,
    node: deps.nodeId,
    alone: singleNode,
    isAuthorized: ({ userId, sessionId }) => {
      if (userId === null || sessionId === null) return Promise.resolve(true);
      return isSessionOfUser(store, sessionId, userId, clock.now());
    },
  };
  const readers: EventReaders = new EventReaders({
    store,
    bus,
    log,
    repeatStreams: ({ ref }) => hosts.run(ref.conferenceId, "repeatStreams", ref),
    onWatch: () => registry?.start(),
  });
  const opened = new HostRegistry(hostDeps, () => readers.watched());
  registry = opened;
  const hosts = new HostRouter(hostDeps, opened);
  await hosts.open();
  sessionEvents.onGuestsEnded((conferenceId) => {
    opened.checkGuests(conferenceId);
    closeEndedGuestConnections({ store, clock, sessionEvents }, conferenceId).catch((error) =>
      log.warn({ err: error }, "connections of guests could not be checked"),
    );
  });
  lifecycle.add("conferences", async () => {
    await hosts.close();
    await readers.close();
    await opened.close();
  });
  jobs.work("conferences", () => opened.adoptAbandoned(), { everySeconds: ADOPT_SECONDS });
  jobs.work(
    "conference-purge",
    async () => {
      const before = new Date(clock.now() - config.CALL_RETENTION_DAYS * DAY_MS);
      while ((await deleteClosedConferences(store, before, PURGE_BATCH)) === PURGE_BATCH);
    },
    { everySeconds: PURGE_SECONDS },
  );
  const memberships: MembershipDeps = {
    store,
    clock,
    config,
    counters: deps.counters,
    enabled: engine !== null,
    sessionEvents,
    hosts,
    readers,
    mayCreateOnJoin: deps.mayCreateOnJoin,
    countNewCall: deps.countNewCall,
  };
  return {
    ...memberships,
    bus,
    log,
    engineName: engine?.name ?? null,
    service: openConferenceService(memberships),
    participantLoader: new ListLoader(
      (ids) => findSeatedParticipantsOf(store, ids),
      (participant) => participant.conferenceId,
    ),
    ...openListingLoads(store),
    conferenceLoads: openConferenceLoads(store),
    stats: new SharedLoads(),
    invitationLoads: new SharedLoads(),
    findLinkGuest: (token) => findLinkGuest({ store, clock }, token),
  };
}
