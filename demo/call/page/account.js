/** The page's GraphQL requests besides signalling: sign-in, the other users, and ICE servers. */

/**
 * @typedef {object} Setting Configuration from the web server of this page.
 * @property {string} graphqlUrl
 * @property {string} chatUrl
 * @property {string} chatDomain
 * @property {number} applicationId
 * @property {{ login: string, name: string, password: string }[]} people
 *
 * @typedef {object} Person
 * @property {string} id
 * @property {string} login
 * @property {string} name
 */

/** An error whose message is shown to the user. */
export class UserError extends Error {}

const SIGN_IN = `
  mutation ($input: LoginInput!) { login(input: $input) { user { id login fullName } } }
`;
const PEOPLE = `
  query ($logins: [String!]) {
    users(filter: { login: { in: $logins } }) { nodes { id login fullName } }
  }
`;
const SIGN_OUT = "mutation { destroySession { destroyed } }";
const ICE_SERVERS = "{ iceServers { urls username credential } }";

/** @returns {Promise<Setting>} */
export async function readSetting() {
  return (await request("setting.json")).json();
}

/**
 * Signs a user in. The application's own server creates the session, because the page must not have the
 * application's secret; the sign-in then turns it into a user session.
 * @param {Setting} setting @param {string} login @param {string} password
 */
export async function signIn({ graphqlUrl, people }, login, password) {
  const response = await request("session", { method: "POST" });
  if (!response.ok) throw new UserError("The application's server could not create a session.");
  const { token } = await response.json();
  const execute = graphqlClient(graphqlUrl, token);
  const { user } = (await execute(SIGN_IN, { input: { login, password } })).login;
  return {
    token: /** @type {string} */ (token),
    me: toPerson(user),
    /** The users who can be called. @returns {Promise<Person[]>} */
    async people() {
      const { users } = await execute(PEOPLE, { logins: people.map((each) => each.login) });
      return users.nodes
        .map(toPerson)
        .filter((/** @type {Person} */ { id }) => id !== toPerson(user).id);
    },
    /** STUN and TURN servers with fresh credentials. @returns {Promise<RTCIceServer[]>} */
    async iceServers() {
      return (await execute(ICE_SERVERS)).iceServers;
    },
    /** Ends the session, so that its token is no longer valid. */
    async signOut() {
      await execute(SIGN_OUT);
    },
  };
}

/** @param {string} url @param {string} token */
function graphqlClient(url, token) {
  return async (/** @type {string} */ query, variables = {}) => {
    const response = await request(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", "Svc-Token": token },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = await response.json();
    if (errors) throw new UserError(errors[0].message);
    return data;
  };
}

/** @param {string} url @param {RequestInit} [options] */
async function request(url, options) {
  try {
    return await fetch(url, options);
  } catch {
    throw new UserError("The server does not answer. Is it running?");
  }
}

/** @param {{ id: string, login: string, fullName: string | null }} user @returns {Person} */
const toPerson = ({ id, login, fullName }) => ({ id, login, name: fullName || login });
