import {
  createSignalbox,
  joinAsGuest,
  LocalMedia,
  SignalboxError,
  sessionFromUrl,
} from "@signalbox/client";
import { JanusConference } from "./janus-conference.js";

/** @import { Conference, MediaPlatform } from "@signalbox/client" */

/**
 * @typedef {object} Setting Configuration from the web server of this page.
 * @property {string} baseUrl
 * @property {string} janusUrl
 * @property {string} conferenceId
 * @property {string} room Its name, by which legacy clients know it.
 * @property {Person[]} people
 *
 * @typedef {{ login: string, name: string, password: string }} Person
 */

const VIDEO = { width: { ideal: 640 }, height: { ideal: 360 } };
const CAPTURE = { audio: true, video: VIDEO };

/** Joins as a guest, by the secret of a link. @param {Setting} setting @param {string} secret @param {string} name */
export function joinByLink({ baseUrl }, secret, name) {
  return joinAsGuest({ url: baseUrl, secret, name }, CAPTURE);
}

/** Joins as a user. @param {Setting} setting @param {Person} person @returns {Promise<Conference>} */
export async function joinAsUser({ baseUrl, conferenceId }, { login, password }) {
  // The application's own server creates the session, because the page must not have the application's secret.
  const signalbox = createSignalbox({ url: baseUrl, session: sessionFromUrl("session") });
  try {
    await signalbox.session.logIn({ login, password });
    const conference = await signalbox.conferences.join(conferenceId, CAPTURE);
    conference.on("ended", () => signalbox.close());
    return conference;
  } catch (error) {
    signalbox.close();
    throw error;
  }
}

/**
 * Joins over the protocol of legacy clients.
 * @param {Setting} setting @param {Person} person @param {MediaPlatform | null} platform
 * @returns {Promise<JanusConference>}
 */
export async function joinOverJanus({ baseUrl, janusUrl, room }, person, platform) {
  if (!platform) throw new SignalboxError("UNSUPPORTED", "This page has no WebRTC.");
  const local = await LocalMedia.open(platform, CAPTURE);
  const { name, login, password } = person;
  const { session, close } = createSignalbox({ url: baseUrl, session: sessionFromUrl("session") });
  try {
    await session.logIn({ login, password });
    const access = { url: janusUrl, token: await session.token(), room, name, local };
    const conference = new JanusConference(platform, access);
    await conference.join();
    return conference;
  } catch (error) {
    local.close();
    throw error;
  } finally {
    close();
  }
}
