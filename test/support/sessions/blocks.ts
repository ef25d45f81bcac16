import { graphql } from "../../../tools/graphql/graphql-http";
import type { TestNode } from "../node";
import { ownerToken } from "./owner";

const BLOCK = `mutation ($input: BlockUserInput!) {
  blockUser(input: $input) { user { id blockedAt blockReason } } }`;
const UNBLOCK = `mutation ($input: ApplicationUserInput!) {
  unblockUser(input: $input) { user { id blockedAt blockReason } } }`;

/** What the owner sees of a block. */
export interface BlockedUser {
  id: string;
  blockedAt: string | null;
  blockReason: string | null;
}

/** Blocks a user as the owner of the node's application, and waits for the answer. */
export function blockUser(
  node: TestNode,
  { id }: { id: number },
  reason?: string | null,
): Promise<BlockedUser> {
  return change(node, "blockUser", BLOCK, { userId: String(id), reason });
}

/** Unblocks a user as the owner of the node's application. */
export function unblockUser(node: TestNode, { id }: { id: number }): Promise<BlockedUser> {
  return change(node, "unblockUser", UNBLOCK, { userId: String(id) });
}

async function change(
  node: TestNode,
  name: string,
  document: string,
  fields: object,
): Promise<BlockedUser> {
  const input = { applicationId: String(node.application.id), ...fields };
  const { data, errors } = await graphql(node, document, { input }, await ownerToken(node));
  if (errors) throw new Error(JSON.stringify(errors));
  return data[name].user;
}
