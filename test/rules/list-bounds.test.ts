import {
  type GraphQLOutputType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
} from "graphql";
import { restSchema } from "../../src/transports/graphql/schema";

/**
 * The size of an answer is bounded, whoever has made the data: each list is a page of a connection, or has a bound for a
 * reason that this table gives. A field that it lacks fails.
 */

/** Maximum lengths, and what enforces them. A name that ends with a dot stands for all fields of the type. */
const BOUNDS: Record<string, readonly [maximum: number, reason: string]> = {
  "Account.applications": [1_000, "APPLICATIONS_MAX, when one is created"],
  "Account.invitations": [20, "INVITATIONS_MAX"],
  "Account.members": [100, "MEMBERS_MAX"],
  "Account.pushCredentialProblems": [6_000, "the services and environments of the applications"],
  "ApiKey.scopes": [3, "the scopes"],
  "AppleNotification.": [100, "the size of a push"],
  "Application.apiKeys": [50, "API_KEYS_MAX"],
  "Application.webOrigins": [100, "ORIGINS_MAX, when they are set"],
  "Call.timeline": [250, "TIMELINE_ENTRIES and CONTROL_ENTRIES"],
  "AuditEntry.": [100, "RECORDED_MAX"],
  "Call.participants": [16, "CALLEES_MAX and the caller"],
  "CheckPushCredentialsPayload.checks": [3, "the services"],
  "Conference.participants": [12, "ROOM_PARTICIPANTS_MAX"],
  "ConferenceSnapshotEvent.participants": [12, "ROOM_PARTICIPANTS_MAX"],
  "ConferenceStreamsEvent.streams": [256, "the media sections of a peer connection"],
  "CreatePushEventPayload.": [5, "the channels"],
  "CreatePushSubscriptionPayload.edges": [1, "the one subscription"],
  "Health.checks": [100, "one check for each service"],
  "Health.jobQueues": [20, "the kinds of jobs"],
  "Health.nodes": [1_000, "NODES_MAX"],
  "IceCandidate.extra": [1_000, "the size of a signal"],
  "IceServer.urls": [100, "the configuration"],
  "JoinConferencePayload.iceServers": [100, "the configuration"],
  "PushChannelDryRun.": [100, "SAMPLE_MAX, and the size of a push"],
  "PushDryRun.": [100, "the channels, and the size of a push"],
  "PushProgress.deliveries": [100, "DELIVERIES_MAX"],
  "PushRecipientCount.channels": [5, "the channels"],
  "Query.conferenceLinks": [50, "LINKS_MAX"],
  "Query.conferenceStatistics": [384, "ROOM_PARTICIPANTS_MAX with PARTICIPANT_PEERS_MAX each"],
  "Query.iceServers": [100, "the configuration"],
  "Statistics.series": [1_000, "the longest period by its smallest buckets"],
  "StatisticsCounts.errors": [20, "the codes of the error table"],
  "Subscription.pushDeliveries": [500, "a batch of deliveries"],
  "User.tags": [5, "TAGS_MAX"],
  "WatchConferencePayload.streams": [256, "the media sections of a peer connection"],
  "XmlElement.": [1_000, "the size of a signal"],
};
/** Signals hold what a client sent, within the size of a signal. */
const SIGNAL = /Signal\.(?:extra|iceCandidates|opponentIds)$/;
/** Lists of a page: PAGE_MAX entries, or what a V1 page has. */
const PAGE = /(?:Connection|Page)\.(?:nodes|edges)$/;

function isList(type: GraphQLOutputType): boolean {
  return isListType(getNullableType(type));
}

const lists = Object.values(restSchema().getTypeMap())
  .filter((type) => (isObjectType(type) || isInterfaceType(type)) && !type.name.startsWith("__"))
  .flatMap((type) =>
    (isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [])
      .filter((field) => isList(field.type))
      .map((field) => `${type.name}.${field.name}`),
  )
  .filter((name) => !PAGE.test(name) && !SIGNAL.test(name));

const entryOf = (name: string) => (name in BOUNDS ? name : `${name.split(".")[0]}.`);

it("every list of an answer has a bound", () => {
  expect(lists.length).toBeGreaterThan(30);
  expect(lists.filter((name) => !(entryOf(name) in BOUNDS))).toEqual([]);
});

it("every bound is of a list that exists, and no larger than an answer may be", () => {
  const used = new Set(lists.map(entryOf));
  expect(Object.keys(BOUNDS).filter((name) => !used.has(name))).toEqual([]);
  for (const [name, [maximum]] of Object.entries(BOUNDS)) {
    expect([name, maximum > 0 && maximum <= 6_000]).toEqual([name, true]);
  }
});
