import {
  CloseConferenceDocument,
  type ConferenceFieldsFragment,
  CreateConferenceDocument,
  CreateConferenceLinkDocument,
  type CreateConferenceLinkMutation,
  type CreateConferenceLinkMutationVariables,
  type CreateConferenceMutationVariables,
  DeleteConferenceLinkDocument,
  GetConferenceDocument,
  InviteToConferenceDocument,
  ListConferencesDocument,
  type ListConferencesQuery,
  type ListConferencesQueryVariables,
  UpdateConferenceDocument,
  type UpdateConferenceMutationVariables,
} from "../generated/operations.ts";
import type { Session } from "../session/session.ts";

/** A conference. */
export type ConferenceInfo = ConferenceFieldsFragment;

/** A page of conferences. The next one begins after `pageInfo.endCursor`. */
export type ConferencePage = ListConferencesQuery["conferences"];

/** A link for guests with its secret, which the service does not show again. */
export type ConferenceLink = CreateConferenceLinkMutation["createConferenceLink"];

/**
 * Creates a conference, which the signed-in user moderates. It closes by itself when it has been empty for
 * `emptyAfterSeconds`, ten minutes by default, after a first participant has joined; its name is free then.
 *
 * @example
 * ```ts
 * import { createConference } from "@signalbox/client";
 *
 * const { id, seats } = await createConference(signalbox.session, { name: "Tuesday", seats: 6 });
 * console.log(id, seats);
 * ```
 * @throws SignalboxError INVALID for a name that another open conference has
 */
export async function createConference(
  session: Session,
  input: CreateConferenceMutationVariables["input"],
): Promise<ConferenceInfo> {
  return (await session.execute(CreateConferenceDocument, { input })).createConference.conference;
}

/**
 * Finds a conference.
 *
 * @example
 * ```ts
 * import { createConference, getConference } from "@signalbox/client";
 *
 * const { id } = await createConference(signalbox.session, { name: "Wednesday" });
 * const { name, locked } = await getConference(signalbox.session, id);
 * console.log(name, locked);
 * ```
 * @throws SignalboxError NOT_FOUND, FORBIDDEN
 */
export async function getConference(session: Session, id: string): Promise<ConferenceInfo> {
  return (await session.execute(GetConferenceDocument, { id })).conference;
}

/**
 * Lists the open conferences that the signed-in user may join, newest first, 100 to a page.
 *
 * @example
 * ```ts
 * import { listConferences } from "@signalbox/client";
 *
 * const { nodes, pageInfo } = await listConferences(signalbox.session, { first: 10 });
 * console.log(nodes.map(({ name }) => name), pageInfo.hasNextPage);
 * ```
 * @throws SignalboxError
 */
export async function listConferences(
  session: Session,
  variables: ListConferencesQueryVariables = {},
): Promise<ConferencePage> {
  return (await session.execute(ListConferencesDocument, variables)).conferences;
}

/**
 * Changes a conference, for moderators.
 *
 * @example
 * ```ts
 * import { createConference, updateConference } from "@signalbox/client";
 *
 * const { id } = await createConference(signalbox.session, { name: "Thursday" });
 * const { name } = await updateConference(signalbox.session, id, { name: "Friday", locked: true });
 * console.log(name);
 * ```
 * @throws SignalboxError INVALID, NOT_FOUND, FORBIDDEN, CONFLICT if it is closed
 */
export async function updateConference(
  session: Session,
  conferenceId: string,
  changes: Omit<UpdateConferenceMutationVariables["input"], "conferenceId">,
): Promise<ConferenceInfo> {
  const input = { conferenceId, ...changes };
  return (await session.execute(UpdateConferenceDocument, { input })).updateConference.conference;
}

/**
 * Closes a conference, for moderators; its participants are out.
 *
 * @example
 * ```ts
 * import { closeConference, createConference } from "@signalbox/client";
 *
 * const { id } = await createConference(signalbox.session, { name: "Saturday" });
 * await closeConference(signalbox.session, id);
 * ```
 * @throws SignalboxError NOT_FOUND, FORBIDDEN, CONFLICT
 */
export async function closeConference(session: Session, conferenceId: string): Promise<void> {
  await session.execute(CloseConferenceDocument, { input: { conferenceId } });
}

/**
 * Invites users to a conference: their devices receive the event `invited`, those that are away a push if the
 * application sends such.
 *
 * @example
 * ```ts
 * import { createConference, inviteToConference } from "@signalbox/client";
 *
 * const { id } = await createConference(signalbox.session, { name: "Sunday" });
 * await inviteToConference(signalbox.session, id, ["42"]);
 * ```
 * @throws SignalboxError NOT_FOUND, FORBIDDEN, CONFLICT if it is closed, LIMITED
 */
export async function inviteToConference(
  session: Session,
  conferenceId: string,
  userIds: readonly (string | number)[],
): Promise<void> {
  const input = { conferenceId, userIds: [...userIds] };
  await session.execute(InviteToConferenceDocument, { input });
}

/**
 * Creates a link that admits guests without an account, for moderators. Hand its secret out in the fragment of an
 * address, which browsers send to no server.
 *
 * @example
 * ```ts
 * import { createConference, createConferenceLink } from "@signalbox/client";
 *
 * const { id } = await createConference(signalbox.session, { name: "Workshop" });
 * const { secret, link } = await createConferenceLink(signalbox.session, id, { maxUses: 3 });
 * console.log(`https://app.example/#${secret} admits ${link.maxUses} guests`);
 * ```
 * @throws SignalboxError NOT_FOUND, FORBIDDEN, CONFLICT if the conference is closed, LIMITED
 */
export async function createConferenceLink(
  session: Session,
  conferenceId: string,
  limits: Omit<CreateConferenceLinkMutationVariables["input"], "conferenceId"> = {},
): Promise<ConferenceLink> {
  const input = { conferenceId, ...limits };
  return (await session.execute(CreateConferenceLinkDocument, { input })).createConferenceLink;
}

/**
 * Withdraws a link; the guests whom it has admitted are out.
 *
 * @example
 * ```ts
 * import {
 *   createConference,
 *   createConferenceLink,
 *   deleteConferenceLink,
 * } from "@signalbox/client";
 *
 * const { id } = await createConference(signalbox.session, { name: "Demonstration" });
 * const { link } = await createConferenceLink(signalbox.session, id);
 * await deleteConferenceLink(signalbox.session, link.id);
 * ```
 * @throws SignalboxError NOT_FOUND, FORBIDDEN
 */
export async function deleteConferenceLink(session: Session, linkId: string): Promise<void> {
  await session.execute(DeleteConferenceLinkDocument, { input: { linkId } });
}
