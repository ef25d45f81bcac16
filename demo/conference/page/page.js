import { browserMedia, SignalboxError } from "@signalbox/client";
import { JanusConference } from "./janus-conference.js";
import { joinAsUser, joinByLink, joinOverJanus } from "./participants.js";
import { showFigures, showTiles } from "./tiles.js";

/** @import { Conference } from "@signalbox/client" */
/** @import { PageConference } from "./janus-conference.js" */
/** @import { Setting } from "./participants.js" */

const ENDS = /** @type {Record<string, string>} */ ({
  left: "You have left.",
  replaced: "You have joined on another device or tab. This one has stopped.",
  removed: "A moderator has removed you.",
  closed: "The conference has ended.",
  ended: "The conference has ended.",
  "media-failure": "The server has ended the conference, because its media failed repeatedly.",
  full: "The conference is full.",
  "link-withdrawn": "The link is no longer valid.",
  "session-ended": "Your session has ended.",
  failed: "The way back into the conference is closed.",
});
const PROBLEMS = /** @type {Record<string, string>} */ ({
  FULL: "The conference is full.",
  CONFLICT: "The conference is over.",
  FORBIDDEN: "The conference is locked.",
  NETWORK: "The server does not answer.",
  PERMISSION_DENIED:
    "The browser may not use the camera and the microphone. Allow both for this page, then join.",
  DEVICE_NOT_FOUND: "There is no such camera or microphone.",
  DEVICE_IN_USE: "Another program uses the camera or the microphone.",
});
const KINDS = /** @type {const} */ (["audio", "video"]);

/** @template {HTMLElement} [T=HTMLElement] @param {string} id @returns {T} */
const $ = (id) => /** @type {T} */ (document.getElementById(id));
const nameField = /** @type {HTMLInputElement} */ ($("name"));
const joinButton = /** @type {HTMLButtonElement} */ ($("join"));

// ?user=ann selects the user, ?protocol=janus the protocol of legacy clients; #… is the secret of a guest's link.
const query = new URLSearchParams(location.search);
const secret = location.hash.slice(1);
/** @type {Setting} */
const setting = await (await fetch("setting.json")).json();
const person = setting.people.find(({ login }) => login === query.get("user"));
nameField.value = person?.name ?? "";
nameField.readOnly = Boolean(person);

/** The conference that is shown. @type {PageConference | null} */
let conference = null;

$("entry").addEventListener("submit", async (event) => {
  event.preventDefault();
  if (joinButton.disabled) return;
  const label = joinButton.textContent;
  joinButton.disabled = true;
  joinButton.textContent = "Joining …";
  $("problem").textContent = "";
  try {
    follow(await join());
    await showDevices();
    $("microphone").focus();
  } catch (error) {
    $("problem").textContent = messageOf(error);
  }
  joinButton.disabled = false;
  if (joinButton.textContent === "Joining …") joinButton.textContent = label;
});

async function join() {
  if (secret) {
    const name = nameField.value.trim();
    if (!name) throw new SignalboxError("INVALID", "Enter your name.");
    return joinByLink(setting, secret, name).catch((error) => {
      const { code } = /** @type {SignalboxError} */ (error);
      if (code !== "NOT_FOUND") throw error;
      throw new SignalboxError("NOT_FOUND", "The link is not valid, or has been used up.");
    });
  }
  if (!person) {
    throw new SignalboxError("INVALID", "Open the page with one of the printed addresses.");
  }
  return query.get("protocol") === "janus"
    ? joinOverJanus(setting, person, browserMedia())
    : joinAsUser(setting, person);
}

/** Shows a conference until it ends. @param {Conference | JanusConference} joined */
function follow(joined) {
  const figures = (/** @type {Parameters<typeof showFigures>[1]} */ values) =>
    showFigures($("tiles"), values);
  if (joined instanceof JanusConference) {
    conference = joined;
    const onEnd = (/** @type {string} */ reason) => end(joined, reason.toLowerCase());
    joined.listener = { onChange: show, onFigures: figures, onEnd };
  } else {
    const shown = pageConference(joined);
    conference = shown;
    joined.on("change", show);
    joined.on("statistics", figures);
    joined.on("deviceLost", ({ kind }) => say(`The ${deviceName(kind)} is gone.`));
    joined.on("mediaRefused", (error) => say(messageOf(error)));
    joined.on("ended", ({ reason, error }) => end(shown, reason, error));
    // It may have ended while it was joined.
    if (joined.endReason) end(shown, joined.endReason);
  }
  show();
}

/** @param {Conference} joined @returns {PageConference} */
function pageConference(joined) {
  return {
    get name() {
      return joined.settings?.name ?? "";
    },
    get isConnected() {
      return joined.state === "joined";
    },
    get participants() {
      return joined.participants;
    },
    get localStream() {
      return joined.localStream;
    },
    get screen() {
      return joined.screen;
    },
    isMuted: (kind) => joined.isMuted(kind),
    setMuted: (kind, muted) => joined.setMuted(kind, muted),
    switchDevice: (kind, deviceId) => joined.switchDevice(kind, deviceId),
    shareScreen: () => joined.shareScreen(),
    stopScreen: () => joined.stopScreen(),
    leave: () => joined.leave(),
  };
}

function show() {
  if (!conference) return;
  setView(true);
  const { participants, name, isConnected, screen } = conference;
  $("title").textContent = name;
  document.body.dataset.connection = isConnected ? "online" : "lost";
  const count =
    participants.length === 1 ? "Waiting for others …" : `${participants.length} participants`;
  $("status").textContent = isConnected ? count : "Connection lost, trying again …";
  showTiles($("tiles"), participants);
  showButton("microphone", conference.isMuted("audio"), "Mute", "Unmute");
  showButton("camera", conference.isMuted("video"), "Camera off", "Camera on");
  showButton("screen", screen !== null, "Share screen", "Stop sharing");
}

/** @param {PageConference} ended @param {string} reason @param {SignalboxError | null} [error] */
function end(ended, reason, error = null) {
  if (conference !== ended) return;
  conference = null;
  setView(false);
  $("tiles").replaceChildren();
  $("status").textContent = "";
  say("");
  $("entry-title").textContent = ENDS[reason] ?? "The conference is over.";
  $("problem").textContent = error ? messageOf(error) : "";
  $("hint").hidden = true;
  joinButton.textContent = "Join again";
  joinButton.focus();
}

/** @param {boolean} joined */
function setView(joined) {
  $("entry").hidden = joined;
  $("room").hidden = !joined;
  $("controls").hidden = !joined;
}

/**
 * The label says what the button does; its colour what is on now.
 * @param {string} id
 * @param {boolean} on
 * @param {string} start
 * @param {string} stop
 */
function showButton(id, on, start, stop) {
  $(id).dataset.on = String(on);
  $(id).textContent = on ? stop : start;
}

/** Shows a message above the controls. @param {string} message */
function say(message) {
  $("message").textContent = message;
}

/** @param {unknown} error */
function messageOf(error) {
  const { code = "", message } = /** @type {Partial<SignalboxError>} */ (error);
  return PROBLEMS[code] ?? message ?? String(error);
}

/** @param {"audio" | "video"} kind */
const deviceName = (kind) => (kind === "audio" ? "microphone" : "camera");

/**
 * Runs an action of a button; a failure is shown.
 * @param {string} id
 * @param {(shown: PageConference) => unknown} act
 */
function onClick(id, act) {
  $(id).addEventListener("click", async () => {
    say("");
    try {
      if (conference) await act(conference);
    } catch (error) {
      say(messageOf(error));
    }
    show();
  });
}

onClick("microphone", (shown) => shown.setMuted("audio", !shown.isMuted("audio")));
onClick("camera", (shown) => shown.setMuted("video", !shown.isMuted("video")));
onClick("screen", async (shown) => {
  if (shown.screen) return shown.stopScreen();
  await shown.shareScreen().catch((error) => {
    // The user has cancelled.
    if (error.code !== "PERMISSION_DENIED") throw error;
  });
});
onClick("leave", (shown) => shown.leave());

for (const kind of KINDS) {
  const select = /** @type {HTMLSelectElement} */ ($(`${kind}-devices`));
  select.addEventListener("change", async () => {
    say("");
    await conference?.switchDevice(kind, select.value).catch((error) => say(messageOf(error)));
    await showDevices();
  });
}
navigator.mediaDevices?.addEventListener("devicechange", showDevices);

async function showDevices() {
  const devices = await navigator.mediaDevices.enumerateDevices();
  for (const kind of KINDS) {
    const used = conference?.localStream
      ?.getTracks()
      .find((track) => track.kind === kind)
      ?.getSettings().deviceId;
    const options = devices
      .filter((device) => device.kind === `${kind}input`)
      .map(({ deviceId, label }) => new Option(label || kind, deviceId, false, deviceId === used));
    $(`${kind}-devices`).replaceChildren(...options);
  }
}
document.body.dataset.ready = "true";
