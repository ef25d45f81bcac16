/** @import { MediaStatistics, ConferenceParticipant } from "@signalbox/client" */

/** Beginnings of words, also of those that do not begin with a Latin letter. */
const INITIALS = /(?<!\p{L})\p{L}/gu;

/**
 * Shows a tile for the camera of each participant, and one for each shared screen.
 * @param {HTMLElement} list
 * @param {readonly ConferenceParticipant[]} participants
 */
export function showTiles(list, participants) {
  const shown = new Set();
  for (const participant of participants) {
    place(`${participant.id}/MAIN`, participant, participant.stream);
    if (participant.screen) place(`${participant.id}/SCREEN`, participant, participant.screen);
  }
  for (const tile of list.querySelectorAll("li")) {
    if (!shown.has(tile.dataset.key)) tile.remove();
  }
  list.dataset.count = String(participants.length);

  /** @param {string} key @param {ConferenceParticipant} participant @param {MediaStream | null} media */
  function place(key, participant, media) {
    shown.add(key);
    const { isMe, audioMuted, videoMuted, isVideoPaused, speaking } = participant;
    const isScreen = key.endsWith("SCREEN");
    const tile = tileOf(list, key);
    const isDark = !isScreen && (videoMuted === true || !media?.getVideoTracks().length);
    tile.className = "tile";
    tile.classList.toggle("screen", isScreen);
    tile.classList.toggle("own", isMe);
    tile.classList.toggle("mirrored", isMe && !isScreen);
    tile.classList.toggle("muted", audioMuted === true && !isScreen);
    tile.classList.toggle("dark", isDark);
    tile.classList.toggle("paused", isVideoPaused && !isScreen);
    tile.classList.toggle("speaking", speaking && !isScreen);
    const video = /** @type {HTMLVideoElement} */ (tile.querySelector("video"));
    video.muted = isMe;
    if (video.srcObject !== media) video.srcObject = media;
    const label = `${participant.name}${isMe ? " (you)" : ""}${isScreen ? ": screen" : ""}`;
    video.setAttribute("aria-label", label);
    text(tile, ".name", `${label}${audioMuted && !isScreen ? " · muted" : ""}`);
    text(tile, ".initials", (participant.name.match(INITIALS) ?? ["?"]).slice(0, 2).join(""));
    text(tile, ".note", isVideoPaused && !isScreen ? "Video paused: poor network" : "");
  }
}

/**
 * Shows what is received of each participant.
 * @param {HTMLElement} list
 * @param {ReadonlyMap<string, MediaStatistics & { screen?: MediaStatistics | null }>} figures
 */
export function showFigures(list, figures) {
  for (const [id, figure] of figures) {
    for (const [key, shown] of /** @type {const} */ ([
      [`${id}/MAIN`, figure],
      [`${id}/SCREEN`, figure.screen],
    ])) {
      const tile = list.querySelector(`[data-key="${key}"]:not(.own)`);
      if (!tile || !shown) continue;
      const rate = Math.round(shown.receivedBitrate / 1000);
      text(tile, ".figures", `${rate} kbit/s · ${(100 * shown.lost).toFixed(0)} % lost`);
    }
  }
}

/** @param {HTMLElement} list @param {string} key @returns {HTMLLIElement} */
function tileOf(list, key) {
  const known = /** @type {HTMLLIElement | null} */ (list.querySelector(`[data-key="${key}"]`));
  if (known) return known;
  const tile = document.createElement("li");
  tile.dataset.key = key;
  const video = Object.assign(document.createElement("video"), {
    autoplay: true,
    playsInline: true,
  });
  const initials = element("span", "initials");
  initials.ariaHidden = "true";
  const caption = element("p", "caption");
  caption.append(element("span", "name"), element("span", "figures"));
  tile.append(video, initials, element("p", "note"), caption);
  list.append(tile);
  return tile;
}

/** @param {string} name @param {string} className */
const element = (name, className) => Object.assign(document.createElement(name), { className });

/** @param {Element} tile @param {string} selector @param {string} content */
function text(tile, selector, content) {
  const found = tile.querySelector(selector);
  if (found && found.textContent !== content) found.textContent = content;
}
