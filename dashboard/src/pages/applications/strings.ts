import { counted } from "../../formats.ts";

/** Texts of the list of applications. */
export const applicationsStrings = {
  title: "Applications",
  lead: "Each application has its own users, sessions, calls, devices and keys.",
  create: "New application",
  createTitle: "New application",
  createText:
    "It gets its own keys. Users sign in with sessions that your backend or your app signs with them.",
  created: (name: string) => `${name} was created.`,
  name: "Name",
  nameMissing: "Enter a name.",
  id: "Id",
  createdAt: "Created",
  signUp: "Sign-up",
  signUpOpen: "open",
  signUpClosed: "closed",
  search: "Search by name or id",
  searchPlaceholder: "Name or id",
  empty: "No applications yet",
  emptyText: "Create the first one: your apps then sign in with its keys.",
  emptySearch: "No application matches",
  emptySearchText: "Search for another name or id, or clear the search.",
  listLabel: "Applications of the account",
};

/** Texts of the page of an application. */
export const applicationStrings = {
  kind: "Application",
  page: "Settings and keys",
  tabsLabel: "Parts of the application",
  tabs: {
    settings: "Settings",
    keys: "Keys",
    origins: "Web origins",
    sessions: "Sessions",
    delete: "Delete",
  },
  saved: "The settings are saved.",
  general: "General",
  users: "Users",
  calls: "Calls",
  push: "Push",
  signUpOpen: "Anybody may sign up",
  signUpOpenText:
    "Off: only you and your backend create users; a sign-up from an app is refused. Guests count as sign-ups.",
  emailNeedsPassword: "A new e-mail address needs the password",
  emailNeedsPasswordText:
    "On: a person who finds an unlocked phone cannot move the account to another address.",
  v1ListDisabled: "Users may not list all users",
  v1ListDisabledText:
    "On: users find others only with a filter. Turn it off only for old apps that show a list of everybody.",
  serverSessionsCreateUsers: "The backend’s sessions create users",
  serverSessionsCreateUsersText:
    "On: the first session that your backend creates for a login or an external id creates the user, also while nobody may sign up.",
  serverSessionsReachSignedUpUsers: "The backend’s sessions reach users who signed up",
  serverSessionsReachSignedUpUsersText:
    "On: a login or an external id also reaches a user who signed up without your backend, and stays with that user. Turn it on only if nobody could have taken a name of another person.",
  pushSenders: "Who may send push notifications",
  pushSendersText: "You always may, from here and with the application’s keys.",
  senders: {
    USERS: ["Everybody", "All users, also guests."],
    MEMBERS: ["Users, without guests", "A guest’s push is refused."],
    NOBODY: ["Only developers and owners", "Users’ pushes are refused."],
  } as const,
  answeredElsewhere: "Other devices stop ringing when one answers",
  answeredElsewhereText:
    "On: chat clients get a hangUp when another device of their user takes the call. GraphQL clients know it anyway.",
  newCallsPerMinute: "New calls of a user in a minute",
  newCallsPerMinuteText:
    "1 to 6,000; more for a contact centre. Empty: the default of this server. Repeats of a call do not count.",
  incomingCallPush: "Wake devices by a push",
  incomingCallPushText:
    "On: a call that reaches no device of a user sends a push to all of them. It needs push credentials.",
  incomingCallPushDelay: "Seconds before the push",
  incomingCallPushDelayText: "0 to 30. Connected devices have this long to accept first.",
  incomingCallPushEnvironment: "Devices that get it",
  callEndPush: "Tell woken devices when the call stops ringing",
  callEndPushText:
    "When another device answers, or the call ends, each device that a push woke gets another push. The app must know these pushes.",
  callEndVoip: "Tell VoIP subscriptions as well",
  callEndVoipText: "iOS requires the app to report a call for each VoIP push.",
  missedCallPush: "Push for missed calls",
  missedCallPushText:
    "A call that a user neither answers nor declines sends one push to all of the user’s devices.",
  missedCallBadge: "Count missed calls on the app’s icon",
  missedCallBadgeText: "The push sets the badge to the number of missed calls. The app clears it.",
  environments: { DEVELOPMENT: "Development", PRODUCTION: "Production" } as const,
  conferencesOnJoin: "Joining creates the conference",
  conferencesOnJoinText:
    "For legacy clients: the first one that joins a name creates it. Others use createConference.",

  keysText:
    "Apps and backends sign requests for sessions with both keys. Anyone with the secret can act as the application: keep it out of pages and repositories.",
  authKey: "auth_key",
  authKeyText: "Names the application in each signed request. It is no secret.",
  authSecret: "auth_secret",
  authSecretText: "Signs the requests.",
  accountKey: "Account key",
  accountKeyText: "Finds the servers of the account (account_settings).",
  previousUntil: (until: string) => `The previous secret stays valid until ${until}.`,
  rotate: "Replace the secret …",
  rotateTitle: "Replace the secret",
  rotateText:
    "The application gets a new secret at once. The old one stays valid for the overlap, in which you put the new one everywhere.",
  overlap: "The old secret stays valid for",
  overlaps: {
    0: "no time: it stops at once",
    3600: "1 hour",
    86400: "1 day",
    604800: "7 days",
    2592000: "30 days",
  } as Readonly<Record<number, string>>,
  rotateNow:
    "With no overlap, every app and backend that signs with the old secret is refused from now on.",
  rotateSubmit: "Replace",
  rotated: "The application has a new secret.",

  originsText:
    "Web pages of these origins may use sessions of the application. An empty list allows any page. A change closes the connections of pages that are no longer allowed.",
  originsLabel: "Allowed web origins",
  originsPlaceholder: "https://app.example",
  originsHint: "Each with its scheme and without a path: https://app.example. Enter adds it.",
  originsTitle: "Remove web origins",
  originsLost: (removed: readonly string[], isAny: boolean) => [
    `The connections of pages of ${removed.join(", ")}: they are closed at once.`,
    ...(isAny ? ["The limit itself: any web page may then use sessions."] : []),
  ],
  originsAny: "Any web page may use sessions of the application now.",

  sessionsText: "Sessions that are valid now, newest first.",
  sessionsLabel: "Live sessions of the application",
  sessionId: "Session",
  sessionUser: "User",
  sessionNoUser: "none: application session",
  sessionLast: "Last used",
  sessionExpires: "Expires",
  sessionFrom: "Address",
  sessionAgent: "Client",
  sessionOrigin: "Created by",
  sessionsEmpty: "No live sessions",
  sessionsEmptyText:
    "Sessions appear here when an app or a backend signs in with the application’s keys.",

  deleteText: "Deletes the application with all of its data.",
  delete: "Delete the application …",
  deleteTitle: (name: string) => `Delete ${name}`,
  deleteLost: [
    "All users with their profiles, tags and passwords",
    "All sessions: everybody is signed out at once, and open calls and conferences end",
    "Devices, push credentials, push events and their deliveries",
    "The history of calls and conferences",
    "The keys: apps that use them are refused",
  ],
  deleteSubmit: "Delete for good",
  deleteTask: (name: string) => `Deleting ${name}`,
  deleteRunning: "Users are deleted, then the application. This page may be left.",
  deleteUnanswered:
    "The connection broke before the service answered. It may still be deleting: the application leaves the list when it is done. If it stays there, delete it again.",
  deleted: (name: string) => `${name} was deleted.`,
};

/** Texts of the API keys of an application. */
export const apiKeyStrings = {
  title: "API keys",
  lead: "Your backend uses an API key to sign users in without passwords, manage users and send pushes. Never put one in a page or an app.",
  name: "Name",
  nameText: "For instance the program that uses it. Unique in the application.",
  nameMissing: "Enter a name.",
  scopes: "May be used for",
  scopesMissing: "Choose at least one.",
  scopeNames: {
    SESSIONS: ["Sessions", "Creates sessions of every user, and ends them."],
    USERS: [
      "Users",
      "Reads, creates, changes, blocks, exports and deletes users. A new password or e-mail also needs Sessions.",
    ],
    PUSH: ["Push", "Sends pushes, and reads and stops them."],
  } as const,
  expires: "Expires",
  lifetimes: { "": "Never", 30: "In 30 days", 90: "In 90 days", 365: "In a year" } as Readonly<
    Record<string, string>
  >,
  never: "never",
  expired: (day: string) => `expired on ${day}`,
  lastUsed: "Last used",
  createdBy: "Created by",
  created: "Created",
  actions: "Actions",
  empty: "No API keys",
  emptyText: "Create one for the backend of your app.",
  create: "New API key …",
  createTitle: "New API key",
  createText:
    "The key ends when it expires, when you revoke it, and when you leave the account or become a support member.",
  createSubmit: "Create",
  key: "API key",
  keyText: "Copy it now: it is not shown again. The service keeps only its hash.",
  revoke: "Revoke …",
  revokeOf: (name: string) => `Revoke ${name} …`,
  revokeTitle: "Revoke the API key",
  revokeText: (name: string) => `Every backend that uses ${name} is refused from now on.`,
  endSessions: "End the sessions that it created",
  endSessionsText: "Signs these users out. Tick it if somebody else may have had the key.",
  revokeSubmit: "Revoke",
  revoked: (name: string, ended: number | null) =>
    `${name} is revoked.${ended === null ? "" : ` ${counted(ended, "session", "sessions")} ended.`}`,
};
