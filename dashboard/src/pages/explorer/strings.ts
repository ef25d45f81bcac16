/** Texts of the page of the explorers. */
export const explorerStrings = {
  title: "Explorer",
  lead: "Try every operation of the service.",
  aboutToken:
    "Each opens in a new tab with its own copy of the token. The token is never in the URL and is discarded when you close the tab or drop it there. Anyone who uses the tab can do what you can.",
  graphql: "GraphQL",
  graphqlText:
    "GraphiQL runs queries, changes and subscriptions with your token at once, with the documentation of every field beside it. What you change there is changed for real, and in the audit log.",
  openGraphql: "Open GraphiQL",
  rest: "REST",
  restText:
    "The reference of all paths, to read and to try. They are made for apps: most need a session of an application, which the dashboard can create for you with the application’s keys.",
  restTextReader:
    "The reference of all paths, to read and to try. They are made for apps: most need a session of an application, which your role cannot create here.",
  openRest: "Open the REST reference",
  runAs: "Requests run with",
  runAsMember: (email: string) => `your own token (${email})`,
  runAsApplication: (name: string) => `a new session of ${name}`,
  member: (email: string, role: string) => `${email} (${role})`,
  application: (name: string, email: string) => `a session of ${name}, created by ${email}`,
  roles: { OWNER: "owner", DEVELOPER: "developer", SUPPORT: "support" } as const,
  off: "It is turned off on this server.",
  blocked: "The browser has not opened the tab. Allow this page to open tabs, then try again.",
  noStorage:
    "The browser keeps nothing for this page, so that the tab would get no token. Allow it to store data, then sign in again.",
  insecure: "Sessions can be signed only on pages with https: and on localhost.",
};
