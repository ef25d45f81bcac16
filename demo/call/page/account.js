import { createSignalbox, listUsers, sessionFromUrl } from "@signalbox/client";

/** @import { Signalbox, User } from "@signalbox/client" */

/**
 * @typedef {object} Setting Configuration from the web server of this page.
 * @property {string} baseUrl
 * @property {string} chatUrl
 * @property {string} chatDomain
 * @property {number} applicationId
 * @property {{ login: string, name: string, password: string }[]} people
 *
 * @typedef {object} Person
 * @property {string} id
 * @property {string} login
 * @property {string} name
 *
 * @typedef {object} Account A signed-in user.
 * @property {Signalbox} signalbox
 * @property {Person} me
 * @property {Person[]} people The users who can be called.
 */

/** @returns {Promise<Setting>} */
export async function readSetting() {
  return (await fetch("setting.json")).json();
}

/**
 * Signs a user in. The application's own server creates the session, because the page must not have the
 * application's secret; the sign-in then turns it into a user session.
 * @param {Setting} setting @param {string} login @param {string} password @param {boolean} relayOnly
 * @returns {Promise<Account>} @throws SignalboxError
 */
export async function signIn({ baseUrl, people }, login, password, relayOnly) {
  const signalbox = createSignalbox({
    url: baseUrl,
    relayOnly,
    session: sessionFromUrl("session"),
  });
  try {
    const user = await signalbox.session.logIn({ login, password });
    const logins = people.map((each) => each.login);
    const { nodes } = await listUsers(signalbox.session, { filter: { login: { in: logins } } });
    const others = nodes.filter(({ id }) => id !== user.id);
    return { signalbox, me: toPerson(user), people: others.map(toPerson) };
  } catch (error) {
    signalbox.close();
    throw error;
  }
}

/** @param {User} user @returns {Person} */
const toPerson = ({ id, login, fullName }) => ({
  id,
  login: login ?? "",
  name: fullName || (login ?? ""),
});
