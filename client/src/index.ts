export { Call } from "./calls/call.ts";
export type { CallSignal, CallSignalling, CallSignallingEvents } from "./calls/call-signalling.ts";
export type {
  CallEvents,
  CallState,
  EndReason,
  Participant,
  ParticipantState,
} from "./calls/call-types.ts";
export { Calls, type CallsEvents, type CallsOptions, type StartOptions } from "./calls/calls.ts";
export type { SignalledCandidate } from "./calls/peer-link.ts";
export { Conference } from "./conferences/conference.ts";
export type {
  ConferenceEndReason,
  ConferenceEvents,
  ConferenceParticipant,
  ConferenceParticipantState,
  ConferenceSettings,
  ConferenceState,
  JoinOptions,
  ParticipantStatistics,
  PublishSettings,
} from "./conferences/conference-types.ts";
export {
  type ConferenceInvitation,
  Conferences,
  type ConferencesEvents,
  type ConferencesOptions,
} from "./conferences/conferences.ts";
export { type GuestOptions, joinAsGuest } from "./conferences/guest.ts";
export {
  type CallRecord,
  type CallRecordPage,
  getCall,
  listCalls,
  markCallsSeen,
} from "./data/calls.ts";
export {
  type ConferenceInfo,
  type ConferenceLink,
  type ConferencePage,
  closeConference,
  createConference,
  createConferenceLink,
  deleteConferenceLink,
  getConference,
  inviteToConference,
  listConferences,
  updateConference,
} from "./data/conferences.ts";
export { iceServers } from "./data/ice-servers.ts";
export {
  createPushEvent,
  createPushSubscription,
  deletePushSubscription,
  listPushSubscriptions,
  type PushDevice,
  type PushDevicePage,
  type PushEnvironment,
  type PushEvent,
  webPushKey,
} from "./data/push.ts";
export {
  destroyOtherSessions,
  listSessions,
  type SessionEntry,
  type SessionPage,
} from "./data/sessions.ts";
export {
  createUser,
  deleteUser,
  getUser,
  listUsers,
  type User,
  type UserPage,
  updateUser,
} from "./data/users.ts";
export { SignalboxError, type SignalboxErrorCode, type SignalboxErrorOptions } from "./errors.ts";
export type { ErrorCode, SignalInput } from "./generated/operations.ts";
export {
  type CaptureOptions,
  LocalMedia,
  type LocalMediaEvents,
  type MediaKind,
} from "./media/local-media.ts";
export { browserMedia, type MediaPlatform } from "./media/media-platform.ts";
export { type MediaStatistics, StatisticsReader } from "./media/statistics.ts";
export { isWebPushSupported } from "./push/browser-push.ts";
export {
  disableWebPush,
  enableWebPush,
  resumeWebPush,
  type WebPushOptions,
} from "./push/web-push.ts";
export { type CurrentSession, Session, type SessionEvents } from "./session/session.ts";
export {
  type SessionDetails,
  type SessionRequest,
  type SessionSource,
  type SessionToken,
  sessionFromUrl,
} from "./session/session-source.ts";
export type { ApplicationKeys } from "./session/sign.ts";
export {
  bindWebSession,
  type Credentials,
  signedSession,
  type WebSessionOptions,
  webSession,
} from "./session/signed-sessions.ts";
export { memoryStorage, type TokenStorage, webStorage } from "./session/storage.ts";
export {
  type Connection,
  type ConnectionOptions,
  createSignalbox,
  openConnection,
  type Signalbox,
  type SignalboxOptions,
} from "./signalbox.ts";
export {
  type AnswerElsewhere,
  type IncomingSignal,
  type SendOptions,
  type SignalAddress,
  type SignalEntry,
  Signals,
  type SignalsEvents,
} from "./signals/signals.ts";
export type { Document, DocumentTypes } from "./transport/document.ts";
export type { HttpTarget, RequestOptions } from "./transport/http.ts";
export type { ConnectionStatus } from "./transport/socket.ts";
export type { SubscriptionSink } from "./transport/subscription.ts";
