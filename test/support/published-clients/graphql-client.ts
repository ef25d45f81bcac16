import type { Client, ClientSignal, Refusal, SignedRequest } from "./client";

/** The parts of a GraphQL client that differ between libraries. */
export interface GraphqlLibrary {
  query<Data>(document: string, variables?: object): Promise<Data>;
  mutate<Data>(document: string, variables: object): Promise<Data>;
  /** Reads all pages of {@link USERS}, each after the `endCursor` of the one before. */
  readPages(variables: object, between: () => Promise<unknown>): Promise<UserPage>;
  subscribe(
    document: string,
    sink: { next(data: { callSignals: ClientSignal }): void; error(error: unknown): void },
  ): () => void;
  /** The `extensions` of an error, as the library's users read them. */
  extensionsOf(error: unknown): ErrorExtensions;
  close(): void;
}

/** `extensions` of a GraphQL error; empty for another error. */
export interface ErrorExtensions {
  code?: string;
  fields?: Record<string, string[]>;
}

/** A page of users, or several merged pages. */
export interface UserPage {
  users: {
    edges: Array<{ node: { login: string } }>;
    pageInfo: { hasNextPage: boolean; endCursor: string | null };
  };
}

/** The list of users by pages. */
export const USERS = `query Users($filter: UserFilter, $sort: UserSort, $first: Int, $after: String) {
  users(filter: $filter, sort: $sort, first: $first, after: $after) {
    edges { cursor node { id login } }
    pageInfo { hasNextPage endCursor hasPreviousPage startCursor }
  }
}`;
const CREATE_SESSION = `mutation CreateSession($input: CreateSessionInput!) {
  createSession(input: $input) { session { id token } }
}`;
const OWN_LOGIN = "query OwnLogin { currentSession { id user { id login } } }";
const SEND_SIGNAL = `mutation SendSignal($input: SendSignalInput!) {
  sendSignal(input: $input) { id cursor }
}`;
const CALL_SIGNALS = `subscription CallSignals($after: String) {
  callSignals(after: $after) { id cursor signalType callId userInfo from { userId device } }
}`;
const INVALID = `query Invalid($filter: UserFilter, $first: Int) {
  users(filter: $filter, first: $first) { nodes { id } }
}`;

/** The steps of the tests with a GraphQL client. */
export function graphqlClient(library: GraphqlLibrary): Client {
  const ends: Array<() => void> = [];
  return {
    async signIn(signed: SignedRequest, login, password) {
      const { application_id, auth_key, ...rest } = signed;
      const input = {
        ...{ applicationId: application_id, authKey: auth_key, ...rest },
        user: { login, password },
      };
      const data = await library.mutate<{ createSession: { session: { token: string } } }>(
        CREATE_SESSION,
        { input },
      );
      return data.createSession.session.token;
    },
    async ownLogin() {
      const data = await library.query<{ currentSession: { user: { login: string } } }>(OWN_LOGIN);
      return data.currentSession.user.login;
    },
    async logins(tag, between) {
      const filter = { userTags: { eq: tag } };
      const { users } = await library.readPages({ filter, sort: { asc: "ID" }, first: 2 }, between);
      return users.edges.map(({ node }) => node.login);
    },
    reject: (userId, callId) =>
      library.mutate(SEND_SIGNAL, {
        input: {
          to: { userId: String(userId) },
          signal: { reject: { callId, userInfo: { busy: true } } },
        },
      }),
    sendInvalid: () => library.query(INVALID, { filter: { login: { eq: "ann" } }, first: -1 }),
    refusalOf(error): Refusal {
      const { code, fields = {} } = library.extensionsOf(error);
      return { code, fields: Object.keys(fields) };
    },
    listen(onSignal, onError) {
      const next = ({ callSignals }: { callSignals: ClientSignal }) => onSignal(callSignals);
      ends.push(library.subscribe(CALL_SIGNALS, { next, error: onError }));
    },
    close() {
      for (const end of ends) end();
      library.close();
    },
  };
}

/** Reads pages one after another, for libraries that leave merging to their users. */
export async function readEachPage(
  read: (after: string | null) => Promise<UserPage>,
  between: () => Promise<unknown>,
): Promise<UserPage> {
  const first = await read(null);
  const edges = [...first.users.edges];
  let { pageInfo } = first.users;
  await between();
  while (pageInfo.hasNextPage) {
    const { users } = await read(pageInfo.endCursor);
    edges.push(...users.edges);
    pageInfo = users.pageInfo;
  }
  return { users: { edges, pageInfo } };
}
