import { INBOX_ENTRIES_MAX } from "../../../src/platform/bus/bus";
import { graphql } from "../../../tools/graphql/graphql-http";
import type { TestNode } from "../node";
import type { TestUser } from "../rest-client";
import { sendInput } from "./send-input";

/** Signals of one request: the limit of aliases allows 30. */
const PER_REQUEST = 25;

const ALIASES = Array.from(
  { length: PER_REQUEST },
  (_, n) => `s${n}: sendSignal(input: $input) { id }`,
);
const SEND = `mutation ($input: SendSignalInput!) { ${ALIASES.join(" ")} }`;

/** Sends as many signals as the inbox of a user holds, so that all earlier ones are gone. */
export async function fillInbox(
  node: TestNode,
  from: TestUser,
  to: Pick<TestUser, "id">,
  id: string,
): Promise<void> {
  const input = sendInput({ to: { userId: to.id }, signalType: "update", callId: id, id });
  for (let sent = 0; sent < INBOX_ENTRIES_MAX; sent += PER_REQUEST) {
    expect((await graphql(node, SEND, { input }, from.token)).errors).toBeUndefined();
  }
}
