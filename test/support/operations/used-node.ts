import { createConference } from "../../../tools/conferences/graphql-participant";
import { graphql } from "../../../tools/graphql/graphql-http";
import { newSessionId, readCall, send, waitForCall } from "../calls/calls";
import { eventually } from "../moving-clock";
import type { TestNode } from "../node";
import { addDevice, payload, postEvent } from "../push/push";
import type { RecordingProviders } from "../push/recording-provider";
import { newUser, rest, signIn, type TestUser } from "../rest-client";
import { ownerCredentials } from "../sessions/owner";

/** What the clients of a node have left in its database. */
export interface Used {
  ann: TestUser;
  ben: TestUser;
  /** Push token of a device, to which an accepted push could not be sent yet. */
  device: string;
  callId: string;
  conferenceId: string;
  /** Name of the application, which the owner has changed. */
  name: string;
}

const SIGN_IN = "mutation ($input: SignInMemberInput!) { signInMember(input: $input) { token } }";
const RENAME = `mutation ($input: UpdateApplicationInput!) {
  updateApplication(input: $input) { application { id } } }`;
const AUDITED = `{ account { applications { name } auditEntries(action: "updateApplication") {
  nodes { outcome } } } }`;
const CONFERENCE = "query ($id: ID!) { conference(id: $id) { name } }";

/** Uses a node as its clients do: users, sessions, a device, a push that waits, a call, a conference, an audited change. */
export async function useNode(node: TestNode, providers: RecordingProviders): Promise<Used> {
  const [ann, ben] = [await newUser(node, { tag_list: "one,two" }), await newUser(node)];
  const device = await addDevice(node, ben);
  providers.outcomes.set(device, () => ({ kind: "retry", reason: "busy", delayMs: 3_600_000 }));
  const message = payload({ data: { text: "Hello" } });
  await postEvent(node, ann, { push_type: "gcm", message, user: { ids: ben.id } });
  await eventually(
    () =>
      node.sql(
        "SELECT FROM pgboss.job WHERE name = 'push-deliver' AND state < 'active' AND start_after > now()",
      ),
    ({ length }) => length === 1,
  );
  const callId = newSessionId();
  await send(node, ann, ben, "call", callId);
  await waitForCall(node, ann, callId, "RINGING");
  await send(node, ann, ben, "hangUp", callId);
  await waitForCall(node, ann, callId, "HUNG_UP");
  const conferenceId = await createConference(node, ann.token, { name: "Daily" });
  const name = `Renamed ${callId}`;
  const input = { applicationId: String(node.application.id), name };
  await graphql(node, RENAME, { input }, await signInOwner(node));
  return { ann, ben, device, callId, conferenceId, name };
}

/**
 * Expects a node to have all that {@link useNode} left: tokens, passwords, records, and the push, which it sends.
 * @param providers those of this node, which accept the push
 */
export async function expectUsed(
  node: TestNode,
  providers: RecordingProviders,
  used: Used,
): Promise<void> {
  const { ann, ben, device, callId, conferenceId, name } = used;
  for (const { id, token } of [ann, ben]) {
    expect((await rest(node, "GET", `/users/${id}`, { token })).status).toBe(200);
  }
  await signIn(node, ben);
  expect(await readCall(node, ann, callId)).toMatchObject({ state: "HUNG_UP" });
  const conference = await graphql(node, CONFERENCE, { id: conferenceId }, ann.token);
  expect(conference.data).toEqual({ conference: { name: "Daily" } });
  const { data } = await graphql(node, AUDITED, {}, await signInOwner(node));
  expect(data.account).toEqual({
    applications: [{ name }],
    auditEntries: { nodes: [{ outcome: "SUCCEEDED" }] },
  });
  // The retry is due in an hour.
  await node.sql("UPDATE pgboss.job SET start_after = now() WHERE name = 'push-deliver'");
  await eventually(
    () => providers.tokens(),
    (tokens) => tokens.includes(device),
  );
  // Ids continue, so that nobody gets that of somebody else.
  expect((await newUser(node)).id).toBeGreaterThan(ben.id);
}

async function signInOwner(node: TestNode): Promise<string> {
  const { data } = await graphql(node, SIGN_IN, { input: ownerCredentials(node) });
  return data.signInMember.token;
}
