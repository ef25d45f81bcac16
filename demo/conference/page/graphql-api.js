/** The operations of a conference, and how one is run. */

/** An error of the service; `code` is for instance FULL, CONFLICT or UNAVAILABLE. */
export class ServiceError extends Error {
  /** @param {{ message: string, extensions?: { code?: string } }} error */
  constructor({ message, extensions }) {
    super(message);
    this.code = extensions?.code ?? "INTERNAL";
  }
}

/** Runs one GraphQL operation. @param {string} url @param {string | null} token @param {string} query @param {object} variables */
export async function execute(url, token, query, variables) {
  const headers = { "Content-Type": "application/json", ...(token && { "Svc-Token": token }) };
  const response = await fetch(url, {
    method: "POST",
    headers,
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = await response.json();
  if (errors) throw new ServiceError(errors[0]);
  return data;
}

const MEMBER = "id name moderator sharingScreen audioMuted videoMuted";
export const JOIN = `mutation ($input: ConferenceInput!) {
  joinConference(input: $input) {
    membershipId member { ${MEMBER} } conference { name bitrate members { ${MEMBER} } }
    iceServers { urls username credential }
  }
}`;
export const EVENTS = `subscription ($membershipId: ID!, $after: String) {
  conferenceEvents(membershipId: $membershipId, after: $after) {
    __typename cursor
    ... on ConferenceSnapshotEvent { members { ${MEMBER} } }
    ... on ConferenceMemberJoinedEvent { member { ${MEMBER} } }
    ... on ConferenceMemberUpdatedEvent { member { ${MEMBER} } }
    ... on ConferenceMemberLeftEvent { memberId reason }
    ... on ConferenceStreamsEvent { peerId offer streams { mid kind memberId source } }
    ... on ConferencePeerClosedEvent { peerId }
  }
}`;
export const PUBLISH = `mutation ($input: PublishConferenceMediaInput!) {
  publishConferenceMedia(input: $input) { peerId answer }
}`;
export const WATCH = `mutation ($input: MembershipInput!) {
  watchConference(input: $input) { peerId offer streams { mid kind memberId source } }
}`;
export const ANSWER = `mutation ($input: AnswerConferencePeerInput!) { answerConferencePeer(input: $input) { done } }`;
export const CANDIDATE = `mutation ($input: AddConferenceCandidateInput!) { addConferenceCandidate(input: $input) { done } }`;
export const CLOSE =
  "mutation ($input: ConferencePeerInput!) { closeConferencePeer(input: $input) { done } }";
export const MUTE =
  "mutation ($input: SetConferenceMuteInput!) { setConferenceMute(input: $input) { member { id } } }";
export const LEAVE =
  "mutation ($input: MembershipInput!) { leaveConference(input: $input) { done } }";
