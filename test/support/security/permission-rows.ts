import type { TestNode } from "../node";
import { deviceOf } from "../push/push-devices";
import type { TestUser } from "../rest-client";

/** Participants of a case: user A, user B of the same application, and a user of another application. */
export interface Participants {
  node: TestNode;
  /** The node from the view of the other application's clients. */
  foreignNode: TestNode;
  a: TestUser;
  b: TestUser;
  foreign: TestUser;
  /** Credentials of the owner of the first application's account. */
  owner: { email: string; password: string };
  /** An unused application of that account. */
  spareApplicationId: string;
  /** User A's push subscription. */
  subscriptionId: number;
  /** User A's push event. */
  eventId: number;
  /** The record of a call that user A made, with a signal in its timeline. */
  callRecordId: number;
  /** The record of a call that rings, from user A to user B. */
  liveCallRecordId: number;
  /** A failed job of the first application. */
  failedJobId: string;
  /** User A's conference, which lists nobody else; A's membership in it, and a link for guests with its secret. */
  conference: { id: string; membershipId: string; linkId: string; secret: string };
  /** A support member of the first application's account, and an open invitation to it. */
  memberId: string;
  invitationId: string;
  /** An API key of the first application. */
  apiKeyId: string;
  /** A unique number. */
  unique: number;
  /** Secret of an open invitation to an account of its own. */
  invitationSecret(): string;
  /** Token of a valid password reset link, of a separate user. */
  resetToken(): string;
  /** Parameters of a signed request of the first application, with a new nonce. */
  signed(): Record<string, string | number>;
}

/** OK, or an error code. */
export type ExpectedOutcome = "OK" | "UNAUTHENTICATED" | "FORBIDDEN" | "NOT_FOUND";

/** Outcomes of an operation by caller, over any protocol. */
export interface PermissionRow {
  /** Document, valid variables, and the expected value of the first field. */
  document: string;
  variables(participants: Participants): Record<string, unknown>;
  /** No token, or a token that is unknown, expired, destroyed or of a deleted user. */
  nobody: ExpectedOutcome;
  /** An unbound web session. */
  web: ExpectedOutcome;
  /** An application session, or a user's after signing out. */
  application: ExpectedOutcome;
  /** User B, on A's object. */
  other: ExpectedOutcome;
  /** A user of another application, on A's object. */
  foreign: ExpectedOutcome;
  /** User A. */
  self: ExpectedOutcome;
  /** A guest by link in A's conference. */
  linkGuest: ExpectedOutcome;
  /** The owner of A's application. */
  account: ExpectedOutcome;
  /** The owner of another account. */
  otherAccount: ExpectedOutcome;
  /** An API key of the other application, with the scope of the operation; `otherAccount` if absent. */
  otherKey?: ExpectedOutcome;
  /** The caller whose session it ends, and whose socket closes after the response. */
  closesSessionOf?: "anybody" | "user A" | "user B";
  /** What differs by REST, whose routes name no application and no session. Members have no REST routes. */
  rest?: Partial<Record<"web" | "application" | "other" | "foreign", ExpectedOutcome>>;
  /** Whether it requires a socket. */
  socketOnly?: true;
  /** Whether only REST documents use it (`@Legacy`). */
  restOnly?: true;
}

const OPEN = {
  nobody: "OK",
  web: "OK",
  application: "OK",
  other: "OK",
  foreign: "OK",
  self: "OK",
  linkGuest: "OK",
  account: "OK",
  otherAccount: "OK",
} as const;
const SESSION = {
  ...OPEN,
  nobody: "UNAUTHENTICATED",
  linkGuest: "FORBIDDEN",
  account: "FORBIDDEN",
  otherAccount: "FORBIDDEN",
} as const;
const APPLICATION = { ...SESSION, web: "FORBIDDEN" } as const;
const USER = { ...APPLICATION, application: "FORBIDDEN" } as const;
const OWN = { ...USER, other: "FORBIDDEN", foreign: "NOT_FOUND" } as const;
const ACCOUNT = {
  nobody: "UNAUTHENTICATED",
  web: "FORBIDDEN",
  application: "FORBIDDEN",
  other: "FORBIDDEN",
  foreign: "FORBIDDEN",
  self: "FORBIDDEN",
  linkGuest: "FORBIDDEN",
  account: "OK",
  otherAccount: "OK",
} as const;
const OWN_APPLICATION = { ...ACCOUNT, otherAccount: "NOT_FOUND" } as const;
/** What members of an account may do with objects of its applications. */
const OWN_OBJECT = { account: "OK", otherAccount: "NOT_FOUND" } as const;

/** What needs an API key or a JWT, and takes no notice of tokens. */
const NO_KEY = {
  nobody: "UNAUTHENTICATED",
  web: "UNAUTHENTICATED",
  application: "UNAUTHENTICATED",
  other: "UNAUTHENTICATED",
  foreign: "UNAUTHENTICATED",
  self: "UNAUTHENTICATED",
  linkGuest: "UNAUTHENTICATED",
  account: "UNAUTHENTICATED",
  otherAccount: "UNAUTHENTICATED",
} as const;

/** Of user A, and of nobody that may not see A's object. */
const PRIVATE = { ...USER, other: "NOT_FOUND", foreign: "NOT_FOUND" } as const;
/** Of user A; a guest by link has no part in it. */
const MEMBERSHIP = { ...PRIVATE, linkGuest: "NOT_FOUND" } as const;

const applicationOf = ({ node }: Participants) => String(node.application.id);
const userOf = (participants: Participants) => ({
  applicationId: applicationOf(participants),
  userId: String(participants.a.id),
});

/** A push that is scheduled far in the future. */
const SCHEDULED = {
  environment: "DEVELOPMENT",
  eventType: "FIXED_DATE",
  date: "2090-01-01T00:00:00Z",
  message: { notification: { title: "Hello" } },
};

const signedInput = ({ signed }: Participants) => {
  const { application_id, auth_key, ...rest } = signed();
  return { ...rest, applicationId: application_id, authKey: auth_key };
};

/** Every operation of the schema. A missing operation fails the suite. */
export const PERMISSION_ROWS: Record<string, PermissionRow> = {
  "Query.currentSession": {
    document: "query { currentSession { id userId applicationId token user { id login } } }",
    variables: () => ({}),
    ...SESSION,
  },
  "Query.sessions": {
    document: "query { sessions { totalCount nodes { id current } } }",
    variables: () => ({}),
    ...USER,
  },
  "Query.user": {
    document: `query ($id: ID!, $application: ID) {
      user(by: { id: $id }, applicationId: $application) { id login email blockReason } }`,
    variables: (participants) => ({
      id: String(participants.a.id),
      application: applicationOf(participants),
    }),
    ...USER,
    ...OWN_OBJECT,
    foreign: "NOT_FOUND",
  },
  "Query.users": {
    document: "query ($id: SafeInt!) { users(filter: { id: { eq: $id } }) { totalCount } }",
    variables: ({ a }) => ({ id: a.id }),
    ...USER,
    otherKey: "OK",
  },
  "Query.usersPage": {
    document: "query ($filter: [UserCondition!]) { usersPage(filter: $filter) { totalCount } }",
    variables: ({ a }) => ({ filter: [{ field: "ID", operator: "EQ", numbers: [a.id] }] }),
    ...USER,
    restOnly: true,
  },
  "Query.usersByFullName": {
    document: "query ($name: String!) { usersByFullName(fullName: $name) { totalCount } }",
    variables: ({ a }) => ({ name: a.login }),
    ...USER,
    restOnly: true,
  },
  "Query.usersByTags": {
    document: "query ($tags: [String!]!) { usersByTags(tags: $tags) { totalCount } }",
    variables: ({ a }) => ({ tags: [a.login] }),
    ...USER,
    restOnly: true,
  },
  "Query.accountSettings": {
    document: "query ($key: String!) { accountSettings(accountKey: $key) { accountKey } }",
    variables: ({ node }) => ({ key: node.application.accountKey }),
    ...OPEN,
  },
  "Mutation.createSession": {
    document:
      "mutation ($input: CreateSessionInput!) { createSession(input: $input) { session { id } } }",
    variables: (participants) => ({ input: signedInput(participants) }),
    ...OPEN,
  },
  "Mutation.createWebSession": {
    document:
      "mutation ($input: CreateWebSessionInput!) { createWebSession(input: $input) { session { id } } }",
    variables: (participants) => ({ input: signedInput(participants) }),
    ...OPEN,
  },
  "Mutation.bindWebSession": {
    document: "mutation ($input: BindWebSessionInput!) { bindWebSession(input: $input) { bound } }",
    variables: () => ({ input: { codeOrToken: "one that nobody has" } }),
    ...USER,
    other: "NOT_FOUND",
    foreign: "NOT_FOUND",
    self: "NOT_FOUND",
  },
  "Mutation.destroyOtherSessions": {
    document: "mutation { destroyOtherSessions { destroyedCount } }",
    variables: () => ({}),
    ...USER,
  },
  "Mutation.destroySession": {
    document:
      "mutation ($input: DestroySessionInput) { destroySession(input: $input) { destroyed } }",
    variables: ({ a }) => ({ input: { id: String(a.sessionId) } }),
    ...PRIVATE,
    ...OWN_OBJECT,
    closesSessionOf: "user A",
    // The session of the token.
    rest: { web: "OK", application: "OK", other: "OK", foreign: "OK" },
  },
  "Mutation.createSessionForUser": {
    document: `mutation ($input: CreateSessionForUserInput!) {
      createSessionForUser(input: $input) { session { token } } }`,
    variables: ({ a }) => ({ input: { userId: String(a.id) } }),
    ...NO_KEY,
    otherKey: "NOT_FOUND",
  },
  "Mutation.renewSocket": {
    document:
      "mutation ($input: RenewSocketInput!) { renewSocket(input: $input) { session { id } } }",
    variables: ({ a }) => ({ input: { token: a.token } }),
    ...SESSION,
    web: "FORBIDDEN",
    application: "FORBIDDEN",
    other: "FORBIDDEN",
    foreign: "FORBIDDEN",
    socketOnly: true,
  },
  "Mutation.login": {
    document: "mutation ($input: LoginInput!) { login(input: $input) { user { id } } }",
    variables: ({ a }) => ({ input: { login: a.login, password: a.password } }),
    ...APPLICATION,
    // The same key matches nobody there.
    foreign: "UNAUTHENTICATED",
    closesSessionOf: "user B",
  },
  "Mutation.logout": {
    document: "mutation { logout { session { userId } } }",
    variables: () => ({}),
    ...USER,
    closesSessionOf: "anybody",
  },
  "Mutation.createUser": {
    document: "mutation ($input: CreateUserInput!) { createUser(input: $input) { user { id } } }",
    variables: (world) => ({
      input: {
        applicationId: applicationOf(world),
        login: `new-${world.unique}`,
        password: "correct horse",
      },
    }),
    ...APPLICATION,
    ...OWN_OBJECT,
    foreign: "NOT_FOUND",
    rest: { foreign: "OK" },
  },
  "Mutation.updateUser": {
    document: "mutation ($input: UpdateUserInput!) { updateUser(input: $input) { user { id } } }",
    variables: ({ a }) => ({ input: { id: String(a.id), fullName: "Changed" } }),
    ...OWN,
    ...OWN_OBJECT,
  },
  "Mutation.deleteUser": {
    document: "mutation ($input: DeleteUserInput!) { deleteUser(input: $input) { deletedUserId } }",
    variables: ({ a }) => ({ input: { id: String(a.id) } }),
    ...OWN,
    ...OWN_OBJECT,
    closesSessionOf: "user A",
  },
  "Mutation.requestPasswordReset": {
    document:
      "mutation ($input: RequestPasswordResetInput!) { requestPasswordReset(input: $input) { requested } }",
    variables: ({ unique }) => ({ input: { email: `nobody-${unique}@example.com` } }),
    ...APPLICATION,
  },
  "Mutation.resetPassword": {
    document: "mutation ($input: ResetPasswordInput!) { resetPassword(input: $input) { reset } }",
    variables: ({ resetToken }) => ({ input: { token: resetToken(), password: "battery staple" } }),
    ...OPEN,
  },
  "Mutation.sendSignal": {
    document: "mutation ($input: SendSignalInput!) { sendSignal(input: $input) { id } }",
    variables: ({ a }) => ({
      input: { to: { userId: a.id }, signal: { hangUp: { callId: "s" } } },
    }),
    ...USER,
    foreign: "NOT_FOUND",
  },
  "Mutation.rejectCall": {
    document: "mutation ($input: RejectCallInput!) { rejectCall(input: $input) { callId } }",
    variables: ({ a }) => ({ input: { recipientId: String(a.id), callId: "s" } }),
    ...USER,
    foreign: "NOT_FOUND",
  },
  "Mutation.markCallsSeen": {
    document: "mutation { markCallsSeen { seenAt } }",
    variables: () => ({}),
    ...USER,
  },
  "Query.calls": {
    document: "query { calls { nodes { id callId } } }",
    variables: () => ({}),
    ...USER,
  },
  "Query.call": {
    document:
      "query ($callId: ID, $id: ID) { call(callId: $callId, id: $id) { id timeline { kind } } }",
    variables: ({ callRecordId }) => ({ id: String(callRecordId) }),
    ...PRIVATE,
    ...OWN_OBJECT,
  },
  "Subscription.callChanges": {
    document:
      "subscription ($a: ID, $id: ID, $callId: ID) { callChanges(applicationId: $a, id: $id, callId: $callId) { id state } }",
    variables: (fixture) => ({ a: applicationOf(fixture) }),
    ...USER,
    ...OWN_OBJECT,
    foreign: "NOT_FOUND",
  },
  "Query.pushEvents": {
    document: "query { pushEvents { nodes { id payload } } }",
    variables: () => ({}),
    ...USER,
  },
  "Query.pushEvent": {
    document: "query ($id: ID!) { pushEvent(id: $id) { id payload } }",
    variables: ({ eventId }) => ({ id: String(eventId) }),
    ...USER,
    ...OWN_OBJECT,
    other: "NOT_FOUND",
    foreign: "NOT_FOUND",
  },
  "Query.pushDeliveries": {
    document: "query ($id: ID!) { pushDeliveries(eventId: $id) { nodes { id } } }",
    variables: ({ eventId }) => ({ id: String(eventId) }),
    ...USER,
    ...OWN_OBJECT,
    other: "NOT_FOUND",
    foreign: "NOT_FOUND",
  },
  "Subscription.pushDeliveries": {
    document: "subscription ($id: ID) { pushDeliveries(eventId: $id) { id } }",
    variables: ({ eventId }) => ({ id: String(eventId) }),
    ...USER,
  },
  "Mutation.createPushEvent": {
    document: `mutation ($input: CreatePushEventInput!) {
      createPushEvent(input: $input) { events { id } } }`,
    variables: (participants) => ({
      input: {
        ...SCHEDULED,
        applicationId: applicationOf(participants),
        userIds: [String(participants.a.id)],
      },
    }),
    ...USER,
    ...OWN_OBJECT,
    foreign: "NOT_FOUND",
    rest: { foreign: "OK" },
  },
  "Mutation.stopPushEvent": {
    document:
      "mutation ($input: StopPushEventInput!) { stopPushEvent(input: $input) { event { id } } }",
    variables: ({ eventId }) => ({ input: { id: String(eventId) } }),
    ...USER,
    ...OWN_OBJECT,
    other: "NOT_FOUND",
    foreign: "NOT_FOUND",
  },
  "Mutation.deletePushEvent": {
    document: `mutation ($input: DeletePushEventInput!) {
      deletePushEvent(input: $input) { deletedPushEventId } }`,
    variables: ({ eventId }) => ({ input: { id: String(eventId) } }),
    ...USER,
    other: "NOT_FOUND",
    foreign: "NOT_FOUND",
  },
  "Query.health": {
    document: "query { health { checks { name } nodes { id } jobQueues { name } } }",
    variables: () => ({}),
    ...ACCOUNT,
  },
  "Query.failedJobs": {
    document: "query { failedJobs { nodes { id } } }",
    variables: () => ({}),
    ...ACCOUNT,
  },
  "Mutation.retryJob": {
    document: "mutation ($input: RetryJobInput!) { retryJob(input: $input) { jobId } }",
    variables: (participants) => ({
      input: { applicationId: applicationOf(participants), jobId: participants.failedJobId },
    }),
    ...OWN_APPLICATION,
  },
  "Subscription.pushProgress": {
    document: "subscription ($id: ID!) { pushProgress(eventId: $id) { event { id } } }",
    variables: ({ eventId }) => ({ id: String(eventId) }),
    ...USER,
    ...OWN_OBJECT,
    other: "NOT_FOUND",
    foreign: "NOT_FOUND",
  },
  "Query.pushSubscriptions": {
    document: "query { pushSubscriptions { totalCount nodes { id udid } } }",
    variables: () => ({}),
    ...USER,
  },
  "Mutation.createPushSubscription": {
    document: `mutation ($input: CreatePushSubscriptionInput!) {
      createPushSubscription(input: $input) { subscription { id } } }`,
    variables: ({ a }) => ({
      input: { channel: "GCM", environment: "DEVELOPMENT", platform: "ANDROID", ...deviceOf(a) },
    }),
    ...USER,
  },
  "Mutation.deletePushSubscription": {
    document: `mutation ($input: DeletePushSubscriptionInput!) {
      deletePushSubscription(input: $input) { deletedPushSubscriptionId } }`,
    variables: ({ subscriptionId }) => ({ input: { id: String(subscriptionId) } }),
    ...USER,
    ...OWN_OBJECT,
    other: "NOT_FOUND",
    foreign: "NOT_FOUND",
  },
  "Subscription.callAnswers": {
    document: "subscription { callAnswers { callId } }",
    variables: () => ({}),
    ...USER,
  },
  "Subscription.callSignals": {
    document: "subscription { callSignals { id } }",
    variables: () => ({}),
    ...USER,
  },
  "Query.iceServers": {
    document: "query { iceServers { urls username credential expiresAt } }",
    variables: () => ({}),
    ...USER,
  },
  "Subscription.sessionBound": {
    document: "subscription { sessionBound { userId } }",
    variables: () => ({}),
    ...SESSION,
    application: "FORBIDDEN",
    other: "FORBIDDEN",
    foreign: "FORBIDDEN",
    self: "FORBIDDEN",
  },
  "Query.account": {
    document: "query { account { id name applications { id } } }",
    variables: () => ({}),
    ...ACCOUNT,
  },
  "Query.application": {
    document: `query ($id: ID!, $user: ID!, $search: String, $first: Int, $after: String,
        $filter: UserFilter, $sort: UserSort, $blocked: Boolean, $guest: Boolean,
        $recipients: PushRecipientsInput!) {
      application(id: $id) {
        id authSecret
        users(search: $search, first: $first, after: $after, filter: $filter, sort: $sort,
          blocked: $blocked, guest: $guest) { totalCount nodes { blockReason } }
        sessions(userId: $user, first: $first, after: $after) { totalCount nodes { ip } }
        pushSubscriptions(userId: $user, first: $first, after: $after) {
          totalCount nodes { udid } }
        pushDeliveries(userId: $user, first: $first) { nodes { id } }
        pushRecipientCount(recipients: $recipients) { userCount } } }`,
    variables: (participants) => ({
      id: applicationOf(participants),
      user: String(participants.a.id),
      recipients: { environment: "DEVELOPMENT", userIds: [String(participants.a.id)] },
    }),
    ...OWN_APPLICATION,
  },
  "Mutation.signInMember": {
    document:
      "mutation ($input: SignInMemberInput!) { signInMember(input: $input) { account { id } } }",
    variables: ({ owner }) => ({ input: owner }),
    ...OPEN,
  },
  "Mutation.signOutMember": {
    document: "mutation { signOutMember { signedOut } }",
    variables: () => ({}),
    ...ACCOUNT,
    closesSessionOf: "anybody",
  },
  "Mutation.signOutMemberEverywhere": {
    document: "mutation { signOutMemberEverywhere { signedOut } }",
    variables: () => ({}),
    ...ACCOUNT,
    closesSessionOf: "anybody",
  },
  "Mutation.inviteMember": {
    document: `mutation ($input: InviteMemberInput!) {
      inviteMember(input: $input) { invitation { id } } }`,
    variables: () => ({ input: { email: "invited@example.com", role: "SUPPORT" } }),
    ...ACCOUNT,
  },
  "Mutation.revokeInvitation": {
    document: `mutation ($input: RevokeInvitationInput!) {
      revokeInvitation(input: $input) { revokedInvitationId } }`,
    variables: ({ invitationId: id }) => ({ input: { id } }),
    ...OWN_APPLICATION,
  },
  "Mutation.acceptInvitation": {
    document: `mutation ($input: AcceptInvitationInput!) {
      acceptInvitation(input: $input) { member { id } } }`,
    variables: ({ invitationSecret }) => ({
      input: { secret: invitationSecret(), password: "correct horse" },
    }),
    ...OPEN,
  },
  "Mutation.updateMember": {
    document:
      "mutation ($input: UpdateMemberInput!) { updateMember(input: $input) { member { id } } }",
    variables: ({ memberId: id }) => ({ input: { id, role: "DEVELOPER" } }),
    ...OWN_APPLICATION,
  },
  "Mutation.removeMember": {
    document:
      "mutation ($input: RemoveMemberInput!) { removeMember(input: $input) { removedMemberId } }",
    variables: ({ memberId: id }) => ({ input: { id } }),
    ...OWN_APPLICATION,
  },
  "Query.currentMember": {
    document: "query { currentMember { id email role } }",
    variables: () => ({}),
    ...ACCOUNT,
  },
  "Mutation.updateCurrentMember": {
    document: `mutation ($input: UpdateCurrentMemberInput!) {
      updateCurrentMember(input: $input) { member { id } } }`,
    variables: () => ({ input: {} }),
    ...ACCOUNT,
  },
  "Mutation.updateAccount": {
    document:
      "mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { account { id } } }",
    variables: () => ({ input: { name: "Changed" } }),
    ...ACCOUNT,
  },
  "Mutation.createApplication": {
    document: `mutation ($input: CreateApplicationInput!) {
      createApplication(input: $input) { application { id } } }`,
    variables: () => ({ input: { name: "Another" } }),
    ...ACCOUNT,
  },
  "Mutation.updateApplication": {
    document: `mutation ($input: UpdateApplicationInput!) {
      updateApplication(input: $input) { application { id } } }`,
    variables: (participants) => ({
      input: { applicationId: applicationOf(participants), signUpOpen: true },
    }),
    ...OWN_APPLICATION,
  },
  "Mutation.rotateSecret": {
    document:
      "mutation ($input: RotateSecretInput!) { rotateSecret(input: $input) { application { id } } }",
    variables: ({ spareApplicationId: id }) => ({ input: { applicationId: id } }),
    ...OWN_APPLICATION,
  },
  "Mutation.createApiKey": {
    document: "mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key } }",
    variables: (participants) => ({
      input: {
        applicationId: applicationOf(participants),
        name: `key-${participants.unique}`,
        scopes: ["PUSH"],
      },
    }),
    ...OWN_APPLICATION,
  },
  "Mutation.revokeApiKey": {
    document:
      "mutation ($input: RevokeApiKeyInput!) { revokeApiKey(input: $input) { revokedApiKeyId } }",
    variables: ({ apiKeyId }) => ({ input: { id: apiKeyId } }),
    ...OWN_APPLICATION,
  },
  "Mutation.deleteApplication": {
    document: `mutation ($input: DeleteApplicationInput!) {
      deleteApplication(input: $input) { deletedApplicationId } }`,
    variables: ({ spareApplicationId: id }) => ({ input: { applicationId: id } }),
    ...OWN_APPLICATION,
  },
  "Mutation.blockUser": {
    document: `mutation ($input: BlockUserInput!) {
      blockUser(input: $input) { user { id blockedAt blockReason } } }`,
    variables: (participants) => ({ input: { ...userOf(participants), reason: "Spam" } }),
    ...OWN_APPLICATION,
  },
  "Mutation.unblockUser": {
    document: `mutation ($input: ApplicationUserInput!) {
      unblockUser(input: $input) { user { id blockedAt } } }`,
    variables: (participants) => ({ input: userOf(participants) }),
    ...OWN_APPLICATION,
  },
  "Mutation.endUserSessions": {
    document: `mutation ($input: ApplicationUserInput!) {
      endUserSessions(input: $input) { endedCount } }`,
    variables: (participants) => ({ input: userOf(participants) }),
    ...OWN_APPLICATION,
  },
  "Mutation.exportUser": {
    document: "mutation ($input: ApplicationUserInput!) { exportUser(input: $input) { export } }",
    variables: (participants) => ({
      input: { applicationId: applicationOf(participants), userId: String(participants.a.id) },
    }),
    ...OWN_APPLICATION,
  },
  "Query.webPushKey": {
    document: "query { webPushKey(environment: DEVELOPMENT) }",
    variables: () => ({}),
    ...APPLICATION,
    // No credentials are set.
    application: "NOT_FOUND",
    other: "NOT_FOUND",
    foreign: "NOT_FOUND",
    self: "NOT_FOUND",
  },
  "Mutation.checkProvider": {
    document: `mutation ($input: CheckProviderInput!) {
      checkProvider(input: $input) { outcome message } }`,
    variables: (participants) => ({
      input: { applicationId: applicationOf(participants), provider: "FACEBOOK" },
    }),
    ...OWN_APPLICATION,
  },
  "Mutation.setPushCredentials": {
    document: `mutation ($input: SetPushCredentialsInput!) {
      setPushCredentials(input: $input) { warning credentials { web { publicKey } } } }`,
    variables: (participants) => ({
      input: {
        applicationId: applicationOf(participants),
        environment: "PRODUCTION",
        web: { generate: true, subject: "mailto:push@example.com" },
      },
    }),
    ...OWN_APPLICATION,
  },
  "Mutation.clearPushCredentials": {
    document: `mutation ($input: ClearPushCredentialsInput!) {
      clearPushCredentials(input: $input) { cleared } }`,
    variables: (participants) => ({
      input: {
        applicationId: applicationOf(participants),
        environment: "PRODUCTION",
        service: "APNS",
      },
    }),
    ...OWN_APPLICATION,
  },
  "Mutation.checkPushCredentials": {
    document: `mutation ($input: CheckPushCredentialsInput!) {
      checkPushCredentials(input: $input) { checks { service outcome } } }`,
    variables: (participants) => ({
      input: { applicationId: applicationOf(participants), environment: "PRODUCTION" },
    }),
    ...OWN_APPLICATION,
  },
  "Query.conferences": {
    document: "query { conferences { nodes { id name participants { id name } } } }",
    variables: () => ({}),
    ...USER,
  },
  "Query.joinedConferences": {
    document: "query { joinedConferences { nodes { id name } } }",
    variables: () => ({}),
    ...USER,
  },
  "Query.conference": {
    document: "query ($id: ID!) { conference(id: $id) { id name participants { id } } }",
    variables: ({ conference: { id } }) => ({ id }),
    ...PRIVATE,
    ...OWN_OBJECT,
    linkGuest: "OK",
  },
  "Query.conferenceHistory": {
    document:
      "query ($id: ID!) { conferenceHistory(conferenceId: $id) { nodes { name joinedAt } } }",
    variables: ({ conference: { id } }) => ({ id }),
    ...PRIVATE,
    ...OWN_OBJECT,
  },
  "Query.conferenceLinks": {
    document: "query ($id: ID!) { conferenceLinks(conferenceId: $id) { id uses } }",
    variables: ({ conference: { id } }) => ({ id }),
    ...PRIVATE,
    ...OWN_OBJECT,
  },
  "Query.conferenceStatistics": {
    document:
      "query ($id: ID!) { conferenceStatistics(conferenceId: $id) { participantId packetLoss } }",
    variables: ({ conference: { id } }) => ({ id }),
    ...OWN_APPLICATION,
  },
  "Mutation.createConference": {
    document:
      "mutation ($input: CreateConferenceInput!) { createConference(input: $input) { conference { id } } }",
    variables: ({ unique }) => ({ input: { name: `room ${unique} ${Math.random()}` } }),
    ...USER,
  },
  "Mutation.updateConference": {
    document:
      "mutation ($input: UpdateConferenceInput!) { updateConference(input: $input) { conference { id } } }",
    variables: ({ conference: { id } }) => ({ input: { conferenceId: id, seats: 5 } }),
    ...PRIVATE,
    ...OWN_OBJECT,
  },
  "Mutation.endCall": {
    document: "mutation ($input: EndCallInput!) { endCall(input: $input) { call { id } } }",
    variables: ({ liveCallRecordId: id }) => ({ input: { id: String(id) } }),
    ...OWN_APPLICATION,
  },
  "Mutation.closeConference": {
    document:
      "mutation ($input: ConferenceInput!) { closeConference(input: $input) { conference { id } } }",
    variables: ({ conference: { id } }) => ({ input: { conferenceId: id } }),
    ...PRIVATE,
    ...OWN_OBJECT,
  },
  "Subscription.conferenceChanges": {
    document:
      "subscription ($a: ID!, $c: ID) { conferenceChanges(applicationId: $a, conferenceId: $c) { id hostNodeId } }",
    variables: (fixture) => ({ a: applicationOf(fixture), c: fixture.conference.id }),
    ...OWN_APPLICATION,
  },
  "Mutation.createConferenceLink": {
    document:
      "mutation ($input: CreateConferenceLinkInput!) { createConferenceLink(input: $input) { secret link { id } } }",
    variables: ({ conference: { id } }) => ({ input: { conferenceId: id } }),
    ...PRIVATE,
  },
  "Mutation.deleteConferenceLink": {
    document:
      "mutation ($input: DeleteConferenceLinkInput!) { deleteConferenceLink(input: $input) { deletedLinkId } }",
    variables: ({ conference: { linkId } }) => ({ input: { linkId } }),
    ...PRIVATE,
  },
  "Mutation.admitConferenceGuest": {
    document:
      "mutation ($input: AdmitConferenceGuestInput!) { admitConferenceGuest(input: $input) { token conference { id } } }",
    variables: ({ conference: { secret } }) => ({ input: { secret, name: "Guest" } }),
    ...OPEN,
  },
  "Mutation.inviteToConference": {
    document:
      "mutation ($input: InviteToConferenceInput!) { inviteToConference(input: $input) { conference { id } } }",
    variables: ({ conference: { id }, a }) => ({
      input: { conferenceId: id, userIds: [String(a.id)] },
    }),
    ...PRIVATE,
  },
  "Mutation.joinConference": {
    document:
      "mutation ($input: ConferenceInput!) { joinConference(input: $input) { membershipId participant { id } } }",
    variables: ({ conference: { id } }) => ({ input: { conferenceId: id } }),
    ...PRIVATE,
    linkGuest: "OK",
  },
  "Mutation.leaveConference": {
    document: "mutation ($input: MembershipInput!) { leaveConference(input: $input) { done } }",
    variables: ({ conference: { membershipId } }) => ({ input: { membershipId } }),
    ...MEMBERSHIP,
  },
  "Mutation.setConferenceMute": {
    document:
      "mutation ($input: SetConferenceMuteInput!) { setConferenceMute(input: $input) { participant { id } } }",
    variables: ({ conference: { membershipId } }) => ({ input: { membershipId, audio: true } }),
    ...MEMBERSHIP,
  },
  "Mutation.muteConferenceParticipant": {
    document:
      "mutation ($input: MuteConferenceParticipantInput!) { muteConferenceParticipant(input: $input) { participant { id } } }",
    variables: ({ conference: { id }, a }) => ({
      input: { conferenceId: id, participantId: String(a.id), audio: true },
    }),
    ...PRIVATE,
    ...OWN_OBJECT,
  },
  "Mutation.removeConferenceParticipant": {
    document:
      "mutation ($input: RemoveConferenceParticipantInput!) { removeConferenceParticipant(input: $input) { done } }",
    variables: ({ conference: { id }, a }) => ({
      input: { conferenceId: id, participantId: String(a.id) },
    }),
    ...PRIVATE,
    ...OWN_OBJECT,
  },
  "Mutation.publishConferenceMedia": {
    document:
      "mutation ($input: PublishConferenceMediaInput!) { publishConferenceMedia(input: $input) { peerId answer } }",
    variables: ({ conference: { membershipId } }) => ({ input: { membershipId, offer: "offer" } }),
    ...MEMBERSHIP,
  },
  "Mutation.watchConference": {
    document: "mutation ($input: MembershipInput!) { watchConference(input: $input) { peerId } }",
    variables: ({ conference: { membershipId } }) => ({ input: { membershipId } }),
    ...MEMBERSHIP,
  },
  "Mutation.answerConferencePeer": {
    document:
      "mutation ($input: AnswerConferencePeerInput!) { answerConferencePeer(input: $input) { done } }",
    variables: ({ conference: { membershipId } }) => ({
      input: { membershipId, peerId: "none", answer: "answer" },
    }),
    ...MEMBERSHIP,
    self: "NOT_FOUND",
  },
  "Mutation.addConferenceCandidate": {
    document:
      "mutation ($input: AddConferenceCandidateInput!) { addConferenceCandidate(input: $input) { done } }",
    variables: ({ conference: { membershipId } }) => ({
      input: { membershipId, peerId: "none", candidate: "" },
    }),
    ...MEMBERSHIP,
    self: "NOT_FOUND",
  },
  "Mutation.restartConferencePeer": {
    document:
      "mutation ($input: RestartConferencePeerInput!) { restartConferencePeer(input: $input) { sdp } }",
    variables: ({ conference: { membershipId } }) => ({
      input: { membershipId, peerId: "none" },
    }),
    ...MEMBERSHIP,
    self: "NOT_FOUND",
  },
  "Mutation.configureConferencePeer": {
    document:
      "mutation ($input: ConfigureConferencePeerInput!) { configureConferencePeer(input: $input) { done } }",
    variables: ({ conference: { membershipId } }) => ({
      input: { membershipId, peerId: "none", mid: "0" },
    }),
    ...MEMBERSHIP,
    self: "NOT_FOUND",
  },
  "Mutation.closeConferencePeer": {
    document:
      "mutation ($input: ConferencePeerInput!) { closeConferencePeer(input: $input) { done } }",
    variables: ({ conference: { membershipId } }) => ({
      input: { membershipId, peerId: "none" },
    }),
    ...MEMBERSHIP,
  },
  "Subscription.conferenceEvents": {
    document: "subscription ($id: ID!) { conferenceEvents(membershipId: $id) { cursor } }",
    variables: ({ conference: { membershipId } }) => ({ id: membershipId }),
    ...MEMBERSHIP,
  },
  "Subscription.conferenceInvitations": {
    document: "subscription { conferenceInvitations { inviterId } }",
    variables: () => ({}),
    ...USER,
  },
};
