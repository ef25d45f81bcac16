/** What the page does over GraphQL beside calls: signing in, and asking for people and servers. */

/**
 * @typedef {object} Setting What the server of this page tells it.
 * @property {string} graphqlUrl
 * @property {string} chatUrl
 * @property {string} chatDomain
 * @property {number} applicationId
 * @property {{ login: string, name: string, password: string }[]} people
 *
 * @typedef {object} Person
 * @property {number} id
 * @property {string} login
 * @property {string} name
 */

/** What went wrong, in words for the person at the page. */
export class Trouble extends Error {}

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
  return (await reach("setting.json")).json();
}

/**
 * Signs a user in. The application's own server signs the session (its secret never comes here); signing
 * in makes it the user's.
 * @param {Setting} setting @param {string} login @param {string} password
 */
export async function signIn({ graphqlUrl, people }, login, password) {
  const answer = await reach("session", { method: "POST" });
  if (!answer.ok) throw new Trouble("The application's server has no session for this page.");
  const { token } = await answer.json();
  const ask = asker(graphqlUrl, token);
  const { user } = (await ask(SIGN_IN, { input: { login, password } })).login;
  return {
    token: /** @type {string} */ (token),
    me: toPerson(user),
    /** Everybody whom one can call. @returns {Promise<Person[]>} */
    async people() {
      const { users } = await ask(PEOPLE, { logins: people.map((each) => each.login) });
      return users.nodes
        .map(toPerson)
        .filter((/** @type {Person} */ { id }) => id !== toPerson(user).id);
    },
    /** STUN and TURN servers with fresh credentials. @returns {Promise<RTCIceServer[]>} */
    async iceServers() {
      return (await ask(ICE_SERVERS)).iceServers;
    },
    /** Ends the session: its token is worthless then. */
    async signOut() {
      await ask(SIGN_OUT);
    },
  };
}

/** @param {string} url @param {string} token */
function asker(url, token) {
  return async (/** @type {string} */ query, variables = {}) => {
    const answer = await reach(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", "Svc-Token": token },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = await answer.json();
    if (errors) throw new Trouble(errors[0].message);
    return data;
  };
}

/** @param {string} url @param {RequestInit} [options] */
async function reach(url, options) {
  try {
    return await fetch(url, options);
  } catch {
    throw new Trouble("The server does not answer. Is it running?");
  }
}

/** @param {{ id: string, login: string, fullName: string | null }} user @returns {Person} */
const toPerson = ({ id, login, fullName }) => ({ id: Number(id), login, name: fullName || login });
