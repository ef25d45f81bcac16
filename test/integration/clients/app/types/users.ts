import { request } from "../api";
import type { OneUserQueryVariables, UserPageQuery } from "../gql/graphql";
import { OneUser, UserPage } from "../operations";

/** Ids, times, and pages of users. */

export async function ids(service: { url: string }): Promise<void> {
  const { user } = await request(service, OneUser, { by: { id: 42 } });
  await request(service, OneUser, { by: { id: "42" } });
  // @ts-expect-error 'user' is possibly 'null'
  user.id;
  const found: { id: string; databaseId: number; createdAt: string } | null = user;
  void found;
  // @ts-expect-error Property 'getTime' does not exist on type 'string'
  user?.createdAt.getTime();
  // @ts-expect-error 'number' is not assignable to type 'string'
  const login: OneUserQueryVariables["by"] = { login: 42 };
  // @ts-expect-error is not assignable to type
  const two: OneUserQueryVariables["by"] = { id: 42, login: "ann" };
  void login;
  void two;
}

export async function pages(service: { url: string }): Promise<void> {
  await request(service, UserPage, {});
  await request(service, UserPage, { first: 10, after: null });
  await request(service, UserPage, { last: 10, before: "cursor" });
  await request(service, UserPage, { filter: { id: { in: [1, 2] }, createdAt: { gt: 0 } } });
  await request(service, UserPage, { filter: { createdAt: { gt: "2030-01-01T00:00:00Z" } } });
  // @ts-expect-error 'string' is not assignable to type 'number'
  await request(service, UserPage, { first: "10" });
  // @ts-expect-error 'number' is not assignable to type 'string'
  await request(service, UserPage, { after: 10 });
  // @ts-expect-error 'size' does not exist
  await request(service, UserPage, { size: 10 });
  // @ts-expect-error 'string' is not assignable to type 'number'
  await request(service, UserPage, { filter: { id: { eq: "1" } } });
}

export function page({ users }: UserPageQuery): void {
  const after: string | null = users.pageInfo.hasNextPage ? users.pageInfo.endCursor : null;
  const logins: Array<string | null> = users.edges.map(({ node }) => node.login);
  const cursors: string[] = users.edges.map(({ cursor }) => cursor);
  const total: number = users.totalCount;
  // @ts-expect-error 'string | null' is not assignable to type 'string'
  const end: string = users.pageInfo.endCursor;
  // @ts-expect-error is possibly 'undefined'
  users.nodes[0].id;
  // @ts-expect-error Property 'offset' does not exist
  users.offset;
  void [after, logins, cursors, total, end];
}
