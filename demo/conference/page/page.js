import { execute, ServiceError } from "./graphql-api.js";
import { GraphqlConference } from "./graphql-conference.js";
import { JanusConference } from "./janus-conference.js";

/** @import { Member } from "./conference-types.js" */

const SIGN_IN = "mutation ($input: LoginInput!) { login(input: $input) { user { fullName } } }";
const ADMIT = `mutation ($input: AdmitConferenceGuestInput!) {
  admitConferenceGuest(input: $input) { token conference { id } }
}`;
const ENDS = /** @type {Record<string, string>} */ ({
  LEFT: "You have left.",
  REPLACED: "You have joined on another device or tab. This one has stopped.",
  REMOVED: "A moderator has removed you.",
  ENDED: "The conference has ended.",
  CONFERENCE_CLOSED: "The conference has ended.",
  LINK_WITHDRAWN: "The link is no longer valid.",
  SESSION_ENDED: "Your session has ended.",
});
/** Time between two displays of figures, in milliseconds. */
const FIGURES_MS = 1_000;
/** Audio level from which a member counts as speaking, between 0 and 1. */
const SPEAKING = 0.02;

/** @template {HTMLElement} [T=HTMLElement] @param {string} id @returns {T} */
const $ = (id) => /** @type {T} */ (document.getElementById(id));

const parameters = new URLSearchParams(location.search);
const login = parameters.get("user");
/** Whether this member uses the protocol of legacy clients. */
const isLegacy = parameters.get("protocol") === "janus";
const linkSecret = location.hash.slice(1);
const setting = await (await fetch("setting.json")).json();
const person = setting.people.find((/** @type {{ login: string }} */ each) => each.login === login);
/** @type {HTMLInputElement} */ ($("name")).value = person?.name ?? "";
/** @type {HTMLInputElement} */ ($("name")).readOnly = Boolean(person);

/** @type {GraphqlConference | JanusConference | null} */
let conference = null;

$("entry").addEventListener("submit", (event) => {
  event.preventDefault();
  $("problem").textContent = "";
  join().catch((error) => {
    for (const track of conference?.stream.getTracks() ?? []) track.stop();
    conference = null;
    $("problem").textContent =
      error instanceof ServiceError && error.code === "FULL"
        ? "The conference is full."
        : error.message;
  });
});

async function join() {
  const { token, conferenceId } = linkSecret ? await admit() : await signIn();
  const stream = await navigator.mediaDevices.getUserMedia({
    audio: true,
    video: { width: { ideal: 640 }, height: { ideal: 360 } },
  });
  const listener = { onChange: show, onEnd: end };
  conference = isLegacy
    ? new JanusConference(
        { url: setting.janusUrl, token, room: setting.room, name: person.name, stream },
        listener,
      )
    : new GraphqlConference({ url: setting.graphqlUrl, token, conferenceId, stream }, listener);
  await conference.join();
  show();
  await showDevices();
  $("microphone").focus();
}

/** A guest's token, by the link's secret. */
async function admit() {
  const name = /** @type {HTMLInputElement} */ ($("name")).value;
  const { admitConferenceGuest: admitted } = await execute(setting.graphqlUrl, null, ADMIT, {
    input: { secret: linkSecret, name },
  });
  return { token: admitted.token, conferenceId: admitted.conference.id };
}

/** The application's own server creates the session, because the page must not have the application's secret. */
async function signIn() {
  if (!person) throw new Error("Open the page with one of the printed addresses.");
  const { token } = await (await fetch("session", { method: "POST" })).json();
  const { login, password } = person;
  await execute(setting.graphqlUrl, token, SIGN_IN, { input: { login, password } });
  return { token, conferenceId: setting.conferenceId };
}

function show() {
  if (!conference) return;
  setView(true);
  const { members, media, me, name, isConnected, screen, stream } = conference;
  $("title").textContent = name;
  const count = members.size === 1 ? "Only you are here" : `${members.size} members`;
  $("status").textContent = isConnected ? count : "Connection lost, trying again …";
  const shown = new Set();
  for (const member of members.values()) {
    const isMe = member.id === me;
    place(`${member.id}/MAIN`, member, isMe ? stream : (media.get(`${member.id}/MAIN`) ?? null));
    const shared = isMe ? screen : media.get(`${member.id}/SCREEN`);
    if (shared) place(`${member.id}/SCREEN`, member, shared);
  }
  for (const tile of $("tiles").querySelectorAll("li")) {
    if (!shown.has(tile.dataset.key)) tile.remove();
  }
  showButton("microphone", isOff("audio"), "Mute", "Unmute");
  showButton("camera", isOff("video"), "Camera off", "Camera on");
  showButton("screen", screen !== null, "Share screen", "Stop sharing");

  /** @param {string} key @param {Member} member @param {MediaStream | null} media */
  function place(key, member, media) {
    shown.add(key);
    const isScreen = key.endsWith("SCREEN");
    const isMe = member.id === me;
    const tile = tileOf(key);
    tile.className = "tile";
    tile.classList.toggle("screen", isScreen);
    tile.classList.toggle("mirrored", isMe && !isScreen);
    tile.classList.toggle("dark", !media || (!isScreen && member.videoMuted === true));
    tile.dataset.audioMuted = String(member.audioMuted);
    const video = /** @type {HTMLVideoElement} */ (tile.querySelector("video"));
    video.muted = isMe;
    if (video.srcObject !== media) video.srcObject = media;
    const label = `${member.name}${isMe ? " (you)" : ""}${isScreen ? ": screen" : ""}`;
    video.setAttribute("aria-label", label);
    text(tile, ".name", `${label}${member.audioMuted && !isScreen ? " · muted" : ""}`);
    text(tile, ".initials", (member.name.match(/\b\p{L}/gu) ?? ["?"]).slice(0, 2).join(""));
  }
}

/** @param {string} key @returns {HTMLLIElement} */
function tileOf(key) {
  const known = /** @type {HTMLLIElement | null} */ (
    $("tiles").querySelector(`[data-key="${key}"]`)
  );
  if (known) return known;
  const tile = document.createElement("li");
  tile.dataset.key = key;
  const video = Object.assign(document.createElement("video"), {
    autoplay: true,
    playsInline: true,
  });
  const initials = Object.assign(document.createElement("span"), {
    className: "initials",
    ariaHidden: "true",
  });
  const caption = Object.assign(document.createElement("p"), { className: "caption" });
  const name = Object.assign(document.createElement("span"), { className: "name" });
  caption.append(name, Object.assign(document.createElement("span"), { className: "figures" }));
  tile.append(video, initials, caption);
  $("tiles").append(tile);
  return tile;
}

setInterval(async () => {
  const figures = await conference?.figures();
  for (const [key, { bitrate, lost, level }] of figures ?? []) {
    const tile = /** @type {HTMLElement | null} */ (
      $("tiles").querySelector(`[data-key="${key}"]`)
    );
    if (!tile) continue;
    tile.classList.toggle("speaking", level > SPEAKING);
    if (bitrate === null) continue;
    text(tile, ".figures", `${Math.round(bitrate / 1000)} kbit/s · ${lost.toFixed(0)} % lost`);
  }
}, FIGURES_MS);

/** @param {string} reason */
function end(reason) {
  conference = null;
  setView(false);
  $("tiles").replaceChildren();
  $("status").textContent = ENDS[reason] ?? `The conference is over: ${reason}`;
  $("entry").querySelector("button")?.focus();
}

/** @param {boolean} joined */
function setView(joined) {
  $("entry").hidden = joined;
  $("room").hidden = !joined;
  $("controls").hidden = !joined;
}

/** @param {"audio" | "video"} kind */
const isOff = (kind) =>
  conference?.stream.getTracks().some((track) => track.kind === kind && !track.enabled) ?? false;

/** @param {string} id @param {boolean} on @param {string} start @param {string} stop */
function showButton(id, on, start, stop) {
  $(id).setAttribute("aria-pressed", String(on));
  $(id).textContent = on ? stop : start;
}

/** @param {HTMLElement} tile @param {string} selector @param {string} content */
function text(tile, selector, content) {
  const element = tile.querySelector(selector);
  if (element && element.textContent !== content) element.textContent = content;
}

/** Runs an action of a button; a failure is shown. @param {string} id @param {() => Promise<void> | undefined} act */
function onClick(id, act) {
  $(id).addEventListener("click", () => {
    Promise.resolve(act()).then(show, (error) => {
      $("status").textContent = error.message;
    });
  });
}

onClick("microphone", () => conference?.mute("audio", !isOff("audio")));
onClick("camera", () => conference?.mute("video", !isOff("video")));
onClick("screen", async () => {
  if (conference?.screen) return conference.stopScreen();
  await conference?.shareScreen(
    await navigator.mediaDevices.getDisplayMedia({ video: true, audio: true }),
  );
});
onClick("leave", () => conference?.leave());

const DEVICES = /** @type {const} */ (["audio", "video"]);
for (const kind of DEVICES) {
  const select = /** @type {HTMLSelectElement} */ ($(`${kind}-devices`));
  select.addEventListener("change", async () => {
    const stream = await navigator.mediaDevices.getUserMedia({
      [kind]: { deviceId: { exact: select.value } },
    });
    const [track] = stream.getTracks();
    if (track) await conference?.replaceTrack(track);
  });
}
navigator.mediaDevices.addEventListener("devicechange", showDevices);

async function showDevices() {
  const devices = await navigator.mediaDevices.enumerateDevices();
  for (const kind of DEVICES) {
    const used = conference?.stream
      .getTracks()
      .find((track) => track.kind === kind)
      ?.getSettings().deviceId;
    const options = devices
      .filter((device) => device.kind === `${kind}input`)
      .map(({ deviceId, label }) => new Option(label || kind, deviceId, false, deviceId === used));
    $(`${kind}-devices`).replaceChildren(...options);
  }
}
document.body.dataset.ready = "true";
