/** @import { Person } from "./account.js" */
/** @import { ConnectionStatus } from "@signalbox/client" */
/** @import { State } from "./call-state.js" */

/** @template {HTMLElement} [T=HTMLElement] @param {string} id @returns {T} */
export const $ = (id) => /** @type {T} */ (document.getElementById(id));

/** Text of each state below the other user's name. */
const NOTES = {
  idle: "",
  calling: "Calling …",
  ringing: "is calling you",
  connecting: "Connecting …",
  talking: "",
  ended: "",
};
const STATUSES = {
  idle: "Connecting …",
  connecting: "Connecting …",
  offline: "Offline, trying again …",
  ended: "Signed out",
};
const PROTOCOLS = { graphql: "over GraphQL", xmpp: "over XMPP" };
const PATHS = { direct: "Direct", relayed: "Through a relay" };
/** Colours of avatars. */
const HUES = 6;

/** Shows the users who can be called. */
export function showPeople(
  /** @type {Person[]} */ people,
  /** @type {(person: Person, callType: "VIDEO" | "AUDIO") => void} */ dial,
) {
  $("people").replaceChildren(
    ...people.map((person) => {
      const row = document.createElement("li");
      const avatar = document.createElement("span");
      paintAvatar(avatar, person);
      const name = document.createElement("span");
      name.className = "name";
      name.append(person.name, element("small", person.login));
      row.append(avatar, name, dialButton("AUDIO"), dialButton("VIDEO"));
      return row;

      /** @param {"VIDEO" | "AUDIO"} callType */
      function dialButton(callType) {
        const isVideo = callType === "VIDEO";
        const button = element("button", "");
        button.className = isVideo ? "dial primary" : "dial soft";
        button.setAttribute(
          "aria-label",
          `${isVideo ? "Video" : "Audio"} call with ${person.name}`,
        );
        button.dataset.dial = `${person.login} ${callType}`;
        button.append(icon(isVideo ? "i-video" : "i-phone"));
        button.addEventListener("click", () => dial(person, callType));
        return button;
      }
    }),
  );
}

/** Shows the status of the signalling connection. */
export function showStatus(
  /** @type {ConnectionStatus} */ status,
  /** @type {"graphql" | "xmpp"} */ protocol,
) {
  $("status-dot").dataset.status = status;
  $("status-text").textContent = status === "online" ? PROTOCOLS[protocol] : STATUSES[status];
}

let shown = "sign-in";

/** Shows a state of the phone. */
export function showState(
  /** @type {State} */ state,
  /** @type {MediaStream | null} */ local,
  /** @type {MediaStream | null} */ remote,
) {
  const { name, person, callType, lasted, reason } = state;
  document.body.dataset.view = name;
  document.body.dataset.kind = callType ?? "";
  document.body.classList.toggle("failed", name === "ended" && state.failed === true);
  document.body.classList.toggle("recovering", state.recovering === true);
  const hasPicture = callType === "VIDEO" && !state.remoteCameraOff && !state.recovering;
  document.body.classList.toggle("pictured", name === "talking" && hasPicture);
  for (const section of document.querySelectorAll("[data-for]")) {
    /** @type {HTMLElement} */ (section).hidden = !belongs(section, "for", name);
  }
  for (const button of document.querySelectorAll("[data-in]")) {
    /** @type {HTMLElement} */ (button).hidden = !belongs(button, "in", name);
  }
  const hasCamera = (local?.getVideoTracks().length ?? 0) > 0;
  $("camera").hidden ||= !hasCamera;
  $("local").hidden = !hasCamera;
  setStream($("local"), local);
  setStream($("remote"), remote);
  if (person) {
    paintAvatar($("call-avatar"), person, "large");
    $("call-title").textContent = person.name;
    $("facts-name").textContent = person.name;
  }
  const kind = callType === "VIDEO" ? "video" : "audio";
  $("call-note").textContent = noteOf();
  $("accept-icon").setAttribute("href", callType === "VIDEO" ? "#i-video" : "#i-phone");
  $("hang-up-label").textContent = name === "calling" ? "Cancel" : "Hang up";
  showFacts(state, null);
  if (name === shown) return;
  shown = name;
  document.title = titleOf();
  $("announcer").textContent = name === "idle" ? "" : `${person?.name ?? ""} ${noteOf()}`;
  if (name === "talking") {
    $("announcer").textContent = `In a call with ${person?.name}`;
    for (const id of ["mute", "camera"]) showSwitch(id, false);
  }
  focusFor(name);

  function noteOf() {
    if (name === "calling") return `Calling by ${kind} …`;
    if (name === "ringing") return `is calling you by ${kind}`;
    if (name === "talking" && state.recovering) return "Connection lost, trying again …";
    if (name === "talking" && callType === "VIDEO") return "Camera is off";
    if (name !== "ended") return NOTES[name];
    return lasted === undefined ? (reason ?? "") : `${reason} · ${duration(lasted)}`;
  }

  function titleOf() {
    if (name === "ringing") return `☎ ${person?.name} is calling`;
    return name === "idle" || name === "ended"
      ? "Signalbox call"
      : `${person?.name} · Signalbox call`;
  }
}

/** Shows the duration of the call and the path of its media. */
export function showFacts(
  /** @type {State} */ { name, since },
  /** @type {"direct" | "relayed" | null} */ path,
) {
  if (name !== "talking") $("facts-path").textContent = "";
  else if (path) $("facts-path").textContent = PATHS[path];
  $("facts-path").dataset.path = path ?? "";
  $("facts-time").textContent = since ? duration(Date.now() - since) : "";
}

/** Shows whether the microphone or camera is switched off. */
export function showSwitch(/** @type {string} */ id, /** @type {boolean} */ off) {
  $(id).setAttribute("aria-pressed", String(off));
}

/** @param {HTMLElement} video @param {MediaStream | null} stream */
function setStream(video, stream) {
  const element = /** @type {HTMLVideoElement} */ (video);
  if (element.srcObject !== stream) element.srcObject = stream;
}

/** Moves the keyboard focus to the control that is likely used next. @param {State["name"]} name */
function focusFor(name) {
  const first = { idle: "people-title", ringing: "accept", ended: "back" };
  $(name in first ? first[/** @type {keyof first} */ (name)] : "hang-up").focus();
}

/** @param {Element} element @param {"for" | "in"} list @param {string} name */
const belongs = (element, list, name) =>
  (element.getAttribute(`data-${list}`) ?? "").split(" ").includes(name);

/** @param {HTMLElement} avatar @param {Person} person */
function paintAvatar(avatar, { id, name }, size = "") {
  avatar.className = `avatar hue-${Number(id) % HUES} ${size}`;
  avatar.setAttribute("aria-hidden", "true");
  avatar.textContent = (name.match(/\b\p{L}/gu) ?? ["?"]).slice(0, 2).join("").toUpperCase();
}

/** @param {number} ms */
function duration(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** @param {string} name @param {string} text */
function element(name, text) {
  const created = document.createElement(name);
  created.textContent = text;
  return created;
}

/** @param {string} id */
function icon(id) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `#${id}`);
  svg.setAttribute("aria-hidden", "true");
  svg.append(use);
  return svg;
}
