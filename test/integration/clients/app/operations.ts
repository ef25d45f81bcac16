import { graphql } from "./gql";

/** The operations of this front end. */

export const CreateSession = graphql(`
  mutation CreateSession($input: CreateSessionInput!) {
    createSession(input: $input) {
      session {
        token
        userId
        userDatabaseId
        expiresAt
      }
    }
  }
`);

export const UserPage = graphql(`
  query UserPage($first: Int, $after: String, $last: Int, $before: String, $filter: UserFilter) {
    users(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
      totalCount
      edges {
        cursor
        node {
          login
        }
      }
      nodes {
        id
        databaseId
        fullName
        createdAt
      }
      pageInfo {
        startCursor
        endCursor
        hasNextPage
        hasPreviousPage
      }
    }
  }
`);

export const OneUser = graphql(`
  query OneUser($by: UserKey!) {
    user(by: $by) {
      id
      databaseId
      createdAt
    }
  }
`);

export const SendSignal = graphql(`
  mutation SendSignal($input: SendSignalInput!) {
    sendSignal(input: $input) {
      id
      cursor
    }
  }
`);

export const Signals = graphql(`
  subscription Signals($after: String) {
    callSignals(after: $after) {
      __typename
      cursor
      callId
      callType
      userInfo
      from {
        userId
      }
      ... on CallSignal {
        sdp
      }
      ... on AcceptSignal {
        sdp
      }
      ... on IceCandidatesSignal {
        iceCandidates {
          candidate
        }
      }
    }
  }
`);

export const CreatePush = graphql(`
  mutation CreatePush($input: CreatePushEventInput!) {
    createPushEvent(input: $input) {
      events {
        id
        databaseId
        payload
      }
    }
  }
`);
