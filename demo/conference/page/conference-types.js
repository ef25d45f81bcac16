/**
 * What the pages show of a conference, whichever protocol carries it.
 *
 * @typedef {object} Member
 * @property {string} id
 * @property {string} name
 * @property {boolean} moderator
 * @property {boolean} sharingScreen
 * @property {boolean | null} audioMuted null if unknown
 * @property {boolean | null} videoMuted
 *
 * @typedef {"MAIN" | "SCREEN"} Source
 * @typedef {{ mid: string, kind: "AUDIO" | "VIDEO", memberId: string | null, source: Source | null }} Section
 *
 * @typedef {object} Listener
 * @property {() => void} onChange Members, media or the connection have changed.
 * @property {(reason: string) => void} onEnd Called once: LEFT, REPLACED, ENDED, or the reason of a removal.
 */

export {};
