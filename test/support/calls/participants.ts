import { addConference } from "../conferences/stored-conference";
import type { TestNode } from "../node";
import { addFailedJob } from "../operations/failed-jobs";
import { addEvent } from "../push/push";
import { addSubscription } from "../push/push-devices";
import { newUser, signedParameters } from "../rest-client";
import type { Participants } from "../security/permission-rows";
import { addMember, ownerCredentials } from "../sessions/owner";
import { addCall, addLiveCall } from "./calls";

/** Participants for the tables of operations and routes, all of one application. */
export async function createParticipants(node: TestNode): Promise<Participants> {
  const a = await newUser(node);
  const b = await newUser(node);
  // The tests must not change the node's own application.
  const [spare] = await node.sql<{ id: number }>(
    `INSERT INTO applications (account_id, name, auth_key, auth_secret, updated_at)
      SELECT account_id, 'Spare', 'spare', auth_secret, now() FROM applications RETURNING id`,
  );
  let unique = 0;
  return {
    node,
    foreignNode: node,
    a,
    b,
    foreign: b,
    owner: ownerCredentials(node),
    spareApplicationId: String(spare?.id),
    subscriptionId: await addSubscription(node, a),
    eventId: await addEvent(node, a),
    callRecordId: await addCall(node, a),
    liveCallRecordId: await addLiveCall(node, a, b),
    failedJobId: await addFailedJob(node),
    apiKeyId: "1",
    conference: await addConference(node, a),
    get unique() {
      unique += 1;
      return unique;
    },
    ...(await addMember(node)),
    invitationSecret: () => "x".repeat(43),
    resetToken: () => "x".repeat(43),
    signed: () => signedParameters(node),
  };
}
