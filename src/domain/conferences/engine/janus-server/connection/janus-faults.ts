import { Fault } from "../../../../../core/errors";
import type { Log } from "../../../../../core/log";
import { VideoRoomError } from "./janus-messages";

/** Error codes of the core (apierror.h) and of the VideoRoom plugin (janus_videoroom.c) of Janus 1.1. */
export const JANUS_CODE = {
  wrongSecret: 403,
  alreadyJoined: 425,
  noSuchRoom: 426,
  roomExists: 427,
  noSuchFeed: 428,
  missingElement: 429,
  invalidElement: 430,
  publishersFull: 432,
  unauthorized: 433,
  idExists: 436,
  pluginInvalidSdp: 437,
  noSuchSession: 458,
  noSuchHandle: 459,
  noSuchPlugin: 460,
  unknownSdpType: 464,
  invalidSdp: 465,
  unexpectedAnswer: 469,
  webRtcState: 471,
  notAcceptingSessions: 472,
} as const;

const NOT_FOUND: readonly number[] = [
  JANUS_CODE.noSuchRoom,
  JANUS_CODE.noSuchFeed,
  JANUS_CODE.noSuchSession,
  JANUS_CODE.noSuchHandle,
];
const INVALID_SDP: readonly number[] = [
  JANUS_CODE.pluginInvalidSdp,
  JANUS_CODE.unknownSdpType,
  JANUS_CODE.invalidSdp,
  JANUS_CODE.unexpectedAnswer,
];
const UNAVAILABLE: readonly number[] = [JANUS_CODE.webRtcState, JANUS_CODE.notAcceptingSessions];

/** Whether an error is a response with one of these codes. */
export function isJanusError(error: unknown, ...codes: number[]): error is VideoRoomError {
  return error instanceof VideoRoomError && codes.includes(error.code);
}

/** NOT_FOUND for what has ended or never existed. */
export const notFound = (what: string): Fault =>
  new Fault("NOT_FOUND", `The ${what} does not exist`);

/** UNAVAILABLE while Janus does not answer. */
export const mediaServerUnavailable = (): Fault =>
  new Fault("UNAVAILABLE", "The media server does not answer", undefined, 1);

/** INVALID for a session description, without Janus's own words, which name its internals. */
export const unusableSdp = (): Fault =>
  Fault.field("sdp", "is not a session description that the media server can use");

/**
 * The Fault for an error of Janus. Other errors are returned unchanged. What an operator must repair is logged.
 */
export function janusFault(error: unknown, log: Log): unknown {
  if (!(error instanceof VideoRoomError)) return error;
  if (error.code === JANUS_CODE.publishersFull) {
    return new Fault("FULL", "The conference has no seat for another publisher");
  }
  if (NOT_FOUND.includes(error.code)) return notFound("conference, peer or feed");
  if (INVALID_SDP.includes(error.code)) return unusableSdp();
  if (UNAVAILABLE.includes(error.code)) {
    log.error({ reason: error.message }, "Janus cannot open peer connections");
    return mediaServerUnavailable();
  }
  log.error({ reason: error.message }, "Janus refuses a request of this node");
  return new Fault("INTERNAL", "Internal server error");
}
