// Generated from client/operations by npm run generate.
import type { Document } from "../transport/document.ts";

/** The code of an error of the service (docs/ERRORS.md). */
export type ErrorCode =
  | "CONFLICT"
  | "FORBIDDEN"
  | "FULL"
  | "INTERNAL"
  | "INVALID"
  | "LIMITED"
  | "MALFORMED"
  | "NOT_FOUND"
  | "TOO_LARGE"
  | "UNAUTHENTICATED"
  | "UNAVAILABLE"
  | "UNSUPPORTED";

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** Accepts a call. */
export type AcceptSignalInput = {
  /** Id of the call: unique, and the same for all its signals and participants. */
  callId: string | number;
  /** Video or audio. */
  callType?: CallType | null | undefined;
  /** The user who started a group call, as claimed by the sender. In a `call` the sender when omitted. */
  callerId?: string | number | null | undefined;
  /** Further elements of extraParams. */
  extra?: Array<XmlElementInput> | null | undefined;
  /** ICE candidates. */
  iceCandidates?: Array<IceCandidateInput> | null | undefined;
  /** The called users, as claimed by the sender. In a `call` the recipient when omitted. */
  opponentIds?: Array<string | number> | null | undefined;
  /** The sender's platform, as free text. */
  platform?: string | null | undefined;
  /** Session description with CRLF line ends (RFC 8866 section 5). */
  sdp: string;
  /** Custom data of the sender. From an XMPP client every value is text; docs/SIGNALING-REFERENCE.md describes its XML form. */
  userInfo?: Record<string, unknown> | null | undefined;
};

/** An ICE candidate of the client, as RTCIceCandidate.toJSON returns it. */
export type AddConferenceCandidateInput = {
  /** The candidate; empty after the last one. */
  candidate: string;
  /** The membership. */
  membershipId: string | number;
  /** The peer connection. */
  peerId: string | number;
  /** Index of its media section. */
  sdpMLineIndex?: number | null | undefined;
  /** Its media section. */
  sdpMid?: string | null | undefined;
};

/** A guest with a link. */
export type AdmitConferenceGuestInput = {
  /** Name that the others see. */
  name: string;
  /** Secret of the link. */
  secret: string;
};

/** What a notification has on Android in place of its shared content. */
export type AndroidNotificationInput = {
  /** Number on the app's icon. Browsers receive it as `appBadge`. */
  badge?: number | null | undefined;
  /** The text. */
  body?: string | null | undefined;
  /** Notification channel of the app. */
  channelId?: string | null | undefined;
  /** Intent of the activity to open. */
  clickAction?: string | null | undefined;
  /** Colour of the icon, as #rrggbb. */
  color?: string | null | undefined;
  /** Keys for the app. They arrive beside `aps` on Apple's platforms, as texts in `data` on Android, in `data` in browsers. */
  data?: Record<string, unknown> | null | undefined;
  /** Icon resource of the app. */
  icon?: string | null | undefined;
  /** URL of a picture. */
  imageUrl?: string | null | undefined;
  /** `default`, or a sound resource of the app. */
  sound?: string | null | undefined;
  /** Replaces a notification with the same tag. */
  tag?: string | null | undefined;
  /** The title. */
  title?: string | null | undefined;
};

/** The answer to the last offer of a watching peer connection. */
export type AnswerConferencePeerInput = {
  /** SDP of the answer; up to 64 KB. */
  answer: string;
  /** The membership. */
  membershipId: string | number;
  /** The peer connection. */
  peerId: string | number;
};

/** What a notification has on Apple's platforms in place of its shared content. */
export type AppleNotificationInput = {
  /** Number on the app's icon. Browsers receive it as `appBadge`. */
  badge?: number | null | undefined;
  /** The text. */
  body?: string | null | undefined;
  /** Arguments of the localized text. */
  bodyLocArgs?: Array<string> | null | undefined;
  /** Key of the text in the app's localization. */
  bodyLocKey?: string | null | undefined;
  /** Category, which selects the actions. */
  category?: string | null | undefined;
  /** Wakes the app in the background. */
  contentAvailable?: boolean | null | undefined;
  /** Keys for the app. They arrive beside `aps` on Apple's platforms, as texts in `data` on Android, in `data` in browsers. */
  data?: Record<string, unknown> | null | undefined;
  /** Passes the notification to the app's service extension first. */
  mutableContent?: boolean | null | undefined;
  /** `default`, or a sound file of the app. */
  sound?: string | null | undefined;
  /** A line below the title. */
  subtitle?: string | null | undefined;
  /** Groups notifications. */
  threadId?: string | null | undefined;
  /** The title. */
  title?: string | null | undefined;
  /** Arguments of the localized title. */
  titleLocArgs?: Array<string> | null | undefined;
  /** Key of the title in the app's localization. */
  titleLocKey?: string | null | undefined;
  /** A VoIP push to users with a VoIP subscription, a standard push to others. */
  voip?: boolean | null | undefined;
};

/** The web session to bind to the signed-in user. */
export type BindWebSessionInput = {
  /** The binding code from the QR code, or the web session's token. */
  codeOrToken: string;
};

/** Why a user's participation in a call ended before the call was accepted. */
export type CallReason =
  /** The user's device was in another call. */
  | 'BUSY'
  /** The caller hung up before an answer. */
  | 'CANCELLED'
  /** The user declined. */
  | 'DECLINED'
  /** The user's device does not support the call. */
  | 'NOT_SUPPORTED';

/** Starts a call. */
export type CallSignalInput = {
  /** Id of the call: unique, and the same for all its signals and participants. */
  callId: string | number;
  /** Video or audio. */
  callType: CallType;
  /** The user who started a group call, as claimed by the sender. In a `call` the sender when omitted. */
  callerId?: string | number | null | undefined;
  /** Further elements of extraParams. */
  extra?: Array<XmlElementInput> | null | undefined;
  /** ICE candidates. */
  iceCandidates?: Array<IceCandidateInput> | null | undefined;
  /** The called users, as claimed by the sender. In a `call` the recipient when omitted. */
  opponentIds?: Array<string | number> | null | undefined;
  /** The sender's platform, as free text. */
  platform?: string | null | undefined;
  /** Session description with CRLF line ends (RFC 8866 section 5). */
  sdp: string;
  /** Custom data of the sender. From an XMPP client every value is text; docs/SIGNALING-REFERENCE.md describes its XML form. */
  userInfo?: Record<string, unknown> | null | undefined;
};

/** The state of a call or of one of its participants. */
export type CallState =
  /** Accepted and in progress. */
  | 'ACCEPTED'
  /** The called devices do not support the call. */
  | 'FAILED'
  /** Ended by a hang-up, before or after an answer. */
  | 'HUNG_UP'
  /** Nobody accepted within 60 seconds. */
  | 'MISSED'
  /** Declined by a person, or because the user was in another call. */
  | 'REJECTED'
  /** Ringing; nobody has answered. */
  | 'RINGING';

/** The media of a call. */
export type CallType =
  /** Audio only; `2` in a stanza. */
  | 'AUDIO'
  /** Video and audio; `1` in a stanza. */
  | 'VIDEO';

/** Who may join a conference, besides its creator and guests with a link. */
export type ConferenceAccess =
  /** Every user of the application. */
  | 'EVERYONE'
  /** Users that the conference lists. */
  | 'LISTED';

/** A conference. */
export type ConferenceInput = {
  /** The conference. */
  conferenceId: string | number;
};

/** Why a member is no longer in a conference. */
export type ConferenceLeaveReason =
  /** The conference was closed. */
  | 'CONFERENCE_CLOSED'
  /** It left, or its connections were gone for too long. */
  | 'LEFT'
  /** The link that admitted it was withdrawn, or its creator no longer moderates. */
  | 'LINK_WITHDRAWN'
  /** The server has ended the conference, because what its members sent has repeatedly ended the media server's process. */
  | 'MEDIA_FAILURE'
  /** A moderator removed it. */
  | 'REMOVED'
  /** Its session or its guest's token has ended, or its user was deleted. */
  | 'SESSION_ENDED';

/** What a peer connection publishes. */
export type ConferenceMediaSource =
  /** Microphone and camera. */
  | 'MAIN'
  /** A shared screen, with its sound if there is any. */
  | 'SCREEN';

/** A peer connection of the caller. */
export type ConferencePeerInput = {
  /** The membership. */
  membershipId: string | number;
  /** The peer connection. */
  peerId: string | number;
};

/** The kind of a stream. */
export type ConferenceStreamKind =
  /** Audio. */
  | 'AUDIO'
  /** Video. */
  | 'VIDEO';

/** What a peer connection sends or receives. Omitted fields stay unchanged. */
export type ConfigureConferencePeerInput = {
  /** Of a publishing one: maximum bitrate of its video, in bits per second. */
  bitrate?: number | null | undefined;
  /** Simulcast layer of the stream: 0 is the smallest. The embedded media server has one layer and ignores it. */
  layer?: number | null | undefined;
  /** The membership. */
  membershipId: string | number;
  /** Of a watching one: the mid of the stream to change. */
  mid?: string | null | undefined;
  /** The peer connection. */
  peerId: string | number;
  /** Whether the stream is sent. */
  send?: boolean | null | undefined;
};

/** A new conference. */
export type CreateConferenceInput = {
  /** Who may join; EVERYONE by default. */
  access?: ConferenceAccess | null | undefined;
  /** Maximum bitrate of each member's video, in bits per second: 64,000 to 4,000,000. */
  bitrate?: number | null | undefined;
  /** Users who are listed and moderate, as the creator does. */
  moderatorIds?: Array<string | number> | null | undefined;
  /** Name: 1 to 128 characters, unique among the open conferences of the application. */
  name: string;
  /** Maximum number of members: 2 to 12; 12 by default. */
  seats?: number | null | undefined;
  /** Users who are listed; up to 200. */
  userIds?: Array<string | number> | null | undefined;
  /** Whether members may send video; true by default. */
  video?: boolean | null | undefined;
};

/** A new link for guests. */
export type CreateConferenceLinkInput = {
  /** The conference. */
  conferenceId: string | number;
  /** How many guests it admits: 1 to 1,000; 12 by default. */
  maxUses?: number | null | undefined;
  /** How long it admits guests, in seconds: a minute to 30 days; a day by default. */
  validSeconds?: number | null | undefined;
};

/** A push. Exactly one of the five lists selects its recipients. */
export type CreatePushEventInput = {
  /** First dispatch of a schedule. */
  date?: string | number | null | undefined;
  /** End of a schedule. */
  endDate?: string | number | null | undefined;
  /** Environment of the recipient devices. */
  environment: PushEnvironment;
  /** When the push is dispatched; ONE_SHOT by default. */
  eventType?: PushEventType | null | undefined;
  /** Up to 10,000 recipients by external id. */
  externalUserIds?: Array<string> | null | undefined;
  /** The message. */
  message: PushMessageInput;
  /** Name given by the sender. */
  name?: string | null | undefined;
  /**
   * PUSH, the only type.
   * @deprecated Kept for REST-compatible clients, which send it.
   */
  notificationType?: PushNotificationType | null | undefined;
  /** Period of a schedule in seconds: 86400, 604800, 2592000 or 31557600. */
  period?: number | null | undefined;
  /** Recipients with all of these tags. */
  tagsAll?: Array<string> | null | undefined;
  /** Recipients with any of these tags. */
  tagsAny?: Array<string> | null | undefined;
  /** Recipients with none of these tags. */
  tagsExclude?: Array<string> | null | undefined;
  /** Up to 10,000 recipients by id. */
  userIds?: Array<string | number> | null | undefined;
};

/** A device to subscribe to notifications on one channel. */
export type CreatePushSubscriptionInput = {
  /** Bundle identifier (iOS) or package (Android) of the app. */
  bundleId?: string | null | undefined;
  /** The channel. */
  channel: PushChannel;
  /** Builds of the app: for developers or for users. */
  environment: PushEnvironment;
  /** Platform of the device. */
  platform: PushPlatform;
  /** Device token of the push service, up to 4,096 characters; for APNs in hexadecimal digits. Required for every channel except WEB. */
  token?: string | null | undefined;
  /** Identifies the device among the user's devices: 1 to 255 characters. */
  udid: string;
  /** Replaces the token for the channel WEB. */
  web?: WebPushInput | null | undefined;
};

/**
 * A signed request for a session. The signature is the HMAC-SHA1, in hexadecimal and keyed with the
 * application's secret, of "application_id=…&auth_key=…&nonce=…&timestamp=…", or of all parameters of the request, by
 * their REST names ("user[login]=…") in alphabetical order.
 */
export type CreateSessionInput = {
  /** The application's id. */
  applicationId: number;
  /** The application's authentication key. */
  authKey: string;
  /** For Firebase: the ID token. */
  firebasePhone?: FirebasePhoneInput | null | undefined;
  /** For Facebook and Twitter: the access token. */
  keys?: ProviderKeysInput | null | undefined;
  /** A number that the client has not used with this timestamp before. */
  nonce: number;
  /** The sign-in provider, in place of login, e-mail and password. */
  provider?: SignInProvider | null | undefined;
  /** The signature, 40 hexadecimal characters. */
  signature: string;
  /** Unix time in seconds, within 60 minutes of the server's. */
  timestamp: number;
  /** The user's credentials. Without them the result is an application session. */
  user?: CredentialsInput | null | undefined;
};

/** A new user. */
export type CreateUserInput = {
  /** Identifier of the user's picture. */
  avatar?: string | null | undefined;
  /** Identifier of a picture; not validated. */
  blobId?: number | null | undefined;
  /** Custom data of the application, up to 5,000 characters. */
  customData?: string | null | undefined;
  /** E-mail address; login or email is required. */
  email?: string | null | undefined;
  /** Identifier in an external system. */
  externalId?: string | null | undefined;
  /** Identifier in an external system. */
  externalUserId?: string | null | undefined;
  /** Facebook id of the profile. */
  facebookId?: string | null | undefined;
  /** Display name. */
  fullName?: string | null | undefined;
  /** 1 to 70 letters, digits or . - _ @ +; login or email is required. */
  login?: string | null | undefined;
  /** Password of at least 8 characters. */
  password: string;
  /** Phone number. */
  phone?: string | null | undefined;
  /** Tags, at most five; they replace the existing ones. */
  tags?: Array<string> | null | undefined;
  /** Offset from UTC in minutes, -720 to 840. */
  timezone?: number | null | undefined;
  /** Twitter id of the profile. */
  twitterId?: string | null | undefined;
  /** Website. */
  website?: string | null | undefined;
};

/**
 * A signed request for a web session, signed like CreateSessionInput. In the signed text, `long` is
 * "long=1" when it is true and "long=0" when it is false.
 */
export type CreateWebSessionInput = {
  /** The application's id. */
  applicationId: number;
  /** The application's authentication key. */
  authKey: string;
  /** Whether the session expires 30 days from now, used or not; otherwise 2 hours after its last use. */
  long?: boolean | null | undefined;
  /** A number that the client has not used with this timestamp before. */
  nonce: number;
  /** The signature, 40 hexadecimal characters. */
  signature: string;
  /** Unix time in seconds, within 60 minutes of the server's. */
  timestamp: number;
};

/** Credentials of the user who signs in as the session is created. */
export type CredentialsInput = {
  /** The e-mail. Either login or email is required. */
  email?: string | null | undefined;
  /** Full name of the guest. */
  fullName?: string | null | undefined;
  /** Whether to create a guest: a temporary user, which is deleted after a day. */
  guest?: boolean | null | undefined;
  /** The login. Either login or email is required. */
  login?: string | null | undefined;
  /** The password. */
  password?: string | null | undefined;
};

/** Conditions on a time; all given ones must match. */
export type DateFilter = {
  /** Equal, to the second. */
  eq?: string | number | null | undefined;
  /** Later. */
  gt?: string | number | null | undefined;
  /** Later or equal. */
  gte?: string | number | null | undefined;
  /** One of these. */
  in?: Array<string | number> | null | undefined;
  /** Earlier. */
  lt?: string | number | null | undefined;
  /** Earlier or equal. */
  lte?: string | number | null | undefined;
  /** None of these. */
  nin?: Array<string | number> | null | undefined;
};

/** A link to withdraw. */
export type DeleteConferenceLinkInput = {
  /** The link. */
  linkId: string | number;
};

/** A subscription to delete. */
export type DeletePushSubscriptionInput = {
  /** A subscription of the signed-in user. */
  id: string | number;
};

/** The user to delete, by exactly one of these fields; must be the signed-in user. */
export type DeleteUserInput =
  {   /** The user's id in an external system: matches externalId, else externalUserId. */
  externalId: string; id?: never; }
  |  { externalId?: never;   /** The user's id. */
  id: string | number; };

/** A message in the form of REST's event[message]. */
export type EncodedPushMessageInput = {
  /** Channel of a platform-specific message; omit it for a message to all platforms. */
  channel?: PushChannel | null | undefined;
  /** For all platforms: a JSON object in Base64. For one: `payload=` followed by the platform's JSON in Base64. */
  text: string;
};

/** A sign-in with a phone number through Firebase. */
export type FirebasePhoneInput = {
  /** The Firebase ID token. */
  accessToken?: string | null | undefined;
  /** The Firebase project. */
  projectId?: string | null | undefined;
};

/** Ends a call. */
export type HangUpSignalInput = {
  /** Id of the call: unique, and the same for all its signals and participants. */
  callId: string | number;
  /** Video or audio. */
  callType?: CallType | null | undefined;
  /** The user who started a group call, as claimed by the sender. In a `call` the sender when omitted. */
  callerId?: string | number | null | undefined;
  /** Further elements of extraParams. */
  extra?: Array<XmlElementInput> | null | undefined;
  /** ICE candidates. */
  iceCandidates?: Array<IceCandidateInput> | null | undefined;
  /** The called users, as claimed by the sender. In a `call` the recipient when omitted. */
  opponentIds?: Array<string | number> | null | undefined;
  /** The sender's platform, as free text. */
  platform?: string | null | undefined;
  /** Session description with CRLF line ends (RFC 8866 section 5). */
  sdp?: string | null | undefined;
  /** Custom data of the sender. From an XMPP client every value is text; docs/SIGNALING-REFERENCE.md describes its XML form. */
  userInfo?: Record<string, unknown> | null | undefined;
};

/** An ICE candidate. */
export type IceCandidateInput = {
  /** The candidate-attribute (RFC 8839 section 5.1). */
  candidate?: string | null | undefined;
  /** Further child elements. */
  extra?: Array<XmlElementInput> | null | undefined;
  /** Index of the media description that it belongs to. */
  sdpMLineIndex?: number | null | undefined;
  /** Identification tag of the media description. */
  sdpMid?: string | null | undefined;
};

/** Sends ICE candidates. */
export type IceCandidatesSignalInput = {
  /** Id of the call: unique, and the same for all its signals and participants. */
  callId: string | number;
  /** Video or audio. */
  callType?: CallType | null | undefined;
  /** The user who started a group call, as claimed by the sender. In a `call` the sender when omitted. */
  callerId?: string | number | null | undefined;
  /** Further elements of extraParams. */
  extra?: Array<XmlElementInput> | null | undefined;
  /** ICE candidates. */
  iceCandidates: Array<IceCandidateInput>;
  /** The called users, as claimed by the sender. In a `call` the recipient when omitted. */
  opponentIds?: Array<string | number> | null | undefined;
  /** The sender's platform, as free text. */
  platform?: string | null | undefined;
  /** Session description with CRLF line ends (RFC 8866 section 5). */
  sdp?: string | null | undefined;
  /** Custom data of the sender. From an XMPP client every value is text; docs/SIGNALING-REFERENCE.md describes its XML form. */
  userInfo?: Record<string, unknown> | null | undefined;
};

/** Accepts an ICE restart. */
export type IceRestartAcceptSignalInput = {
  /** Id of the call: unique, and the same for all its signals and participants. */
  callId: string | number;
  /** Video or audio. */
  callType?: CallType | null | undefined;
  /** The user who started a group call, as claimed by the sender. In a `call` the sender when omitted. */
  callerId?: string | number | null | undefined;
  /** Further elements of extraParams. */
  extra?: Array<XmlElementInput> | null | undefined;
  /** ICE candidates. */
  iceCandidates?: Array<IceCandidateInput> | null | undefined;
  /** The called users, as claimed by the sender. In a `call` the recipient when omitted. */
  opponentIds?: Array<string | number> | null | undefined;
  /** The sender's platform, as free text. */
  platform?: string | null | undefined;
  /** Session description with CRLF line ends (RFC 8866 section 5). */
  sdp: string;
  /** Custom data of the sender. From an XMPP client every value is text; docs/SIGNALING-REFERENCE.md describes its XML form. */
  userInfo?: Record<string, unknown> | null | undefined;
};

/** Offers an ICE restart. */
export type IceRestartSignalInput = {
  /** Id of the call: unique, and the same for all its signals and participants. */
  callId: string | number;
  /** Video or audio. */
  callType?: CallType | null | undefined;
  /** The user who started a group call, as claimed by the sender. In a `call` the sender when omitted. */
  callerId?: string | number | null | undefined;
  /** Further elements of extraParams. */
  extra?: Array<XmlElementInput> | null | undefined;
  /** ICE candidates. */
  iceCandidates?: Array<IceCandidateInput> | null | undefined;
  /** The called users, as claimed by the sender. In a `call` the recipient when omitted. */
  opponentIds?: Array<string | number> | null | undefined;
  /** The sender's platform, as free text. */
  platform?: string | null | undefined;
  /** Session description with CRLF line ends (RFC 8866 section 5). */
  sdp: string;
  /** Custom data of the sender. From an XMPP client every value is text; docs/SIGNALING-REFERENCE.md describes its XML form. */
  userInfo?: Record<string, unknown> | null | undefined;
};

/** Conditions on a number; all given ones must match. */
export type IntegerFilter = {
  /** Equal. Primary. */
  eq?: number | null | undefined;
  /** Greater. Not on a stand-alone field. */
  gt?: number | null | undefined;
  /** Greater or equal. Not on a stand-alone field. */
  gte?: number | null | undefined;
  /** One of these. Primary. */
  in?: Array<number> | null | undefined;
  /** Less. Not on a stand-alone field. */
  lt?: number | null | undefined;
  /** Less or equal. Not on a stand-alone field. */
  lte?: number | null | undefined;
  /** None of these. Excludes. */
  nin?: Array<number> | null | undefined;
};

/** Users to invite. */
export type InviteToConferenceInput = {
  /** The conference. */
  conferenceId: string | number;
  /** The users: 1 to 50. */
  userIds: Array<string | number>;
};

/** Credentials of a user: login or e-mail with the password, or a token of a sign-in provider. */
export type LoginInput = {
  /** The e-mail. Either login or email is required. */
  email?: string | null | undefined;
  /** For Firebase: the ID token. */
  firebasePhone?: FirebasePhoneInput | null | undefined;
  /** For Facebook and Twitter: the access token. */
  keys?: ProviderKeysInput | null | undefined;
  /** The login. Either login or email is required. */
  login?: string | null | undefined;
  /** The password. */
  password?: string | null | undefined;
  /** The sign-in provider, in place of login, e-mail and password. */
  provider?: SignInProvider | null | undefined;
};

/** A membership, from joinConference. */
export type MembershipInput = {
  /** The membership. */
  membershipId: string | number;
};

/** A member that a moderator mutes or unmutes. Omitted kinds stay unchanged. */
export type MuteConferenceMemberInput = {
  /** Whether its audio is muted. */
  audio?: boolean | null | undefined;
  /** The conference. */
  conferenceId: string | number;
  /** The member. */
  memberId: string | number;
  /** Whether its video is muted. */
  video?: boolean | null | undefined;
};

/** A signal of a type that is not part of the protocol, forwarded unchanged. */
export type OtherSignalInput = {
  /** Id of the call: unique, and the same for all its signals and participants. */
  callId?: string | number | null | undefined;
  /** Video or audio. */
  callType?: CallType | null | undefined;
  /** The user who started a group call, as claimed by the sender. In a `call` the sender when omitted. */
  callerId?: string | number | null | undefined;
  /** Further elements of extraParams. */
  extra?: Array<XmlElementInput> | null | undefined;
  /** ICE candidates. */
  iceCandidates?: Array<IceCandidateInput> | null | undefined;
  /** The called users, as claimed by the sender. In a `call` the recipient when omitted. */
  opponentIds?: Array<string | number> | null | undefined;
  /** The sender's platform, as free text. */
  platform?: string | null | undefined;
  /** Session description with CRLF line ends (RFC 8866 section 5). */
  sdp?: string | null | undefined;
  /** The type. INVALID if it is, or nearly is, a type of the protocol. */
  signalType: string;
  /** Custom data of the sender. From an XMPP client every value is text; docs/SIGNALING-REFERENCE.md describes its XML form. */
  userInfo?: Record<string, unknown> | null | undefined;
};

/** The payload of one platform, sent as it is. */
export type PlatformPayloadInput = {
  /** The channel. */
  channel: PushChannel;
  /** The platform's own JSON: with `aps` for Apple, a message of FCM's HTTP v1 API. */
  payload: Record<string, unknown>;
};

/** An access token of Facebook or Twitter. */
export type ProviderKeysInput = {
  /** The token's secret; Twitter only. */
  secret?: string | null | undefined;
  /** The access token. */
  token?: string | null | undefined;
};

/** Media to publish. */
export type PublishConferenceMediaInput = {
  /** The membership. */
  membershipId: string | number;
  /** SDP of the client's offer; up to 64 KB. INVALID on offer when it offers simulcast to the embedded media server. */
  offer: string;
  /** What is published; MAIN by default. Each has a peer connection of its own. A third screen of a conference is FULL; a screen in a conference for audio only is FORBIDDEN. */
  source?: ConferenceMediaSource | null | undefined;
};

/** The channel that delivers a notification to a device. */
export type PushChannel =
  /** Apple's push service. */
  | 'APNS'
  /** Apple's push service, for calls (PushKit). */
  | 'APNS_VOIP'
  /** Alias of GCM, accepted in input only. */
  | 'FCM'
  /** Firebase Cloud Messaging. */
  | 'GCM'
  /** The push service of a browser (RFC 8030). */
  | 'WEB';

/** Separates the devices of developers from those of users. */
export type PushEnvironment =
  /** Development builds; Apple's sandbox. */
  | 'DEVELOPMENT'
  /** Builds that users install. */
  | 'PRODUCTION';

/** When a push is dispatched. */
export type PushEventType =
  /** Once, at a given date. */
  | 'FIXED_DATE'
  /** Once, immediately. */
  | 'ONE_SHOT'
  /** Periodically from a date on, optionally until an end date. */
  | 'PERIOD_DATE';

/** The message of a push: exactly one of its forms. */
export type PushMessageInput =
  {   /**
   * A message in Base64.
   * @deprecated Kept for REST-compatible clients. Use notification or platform.
   */
  encoded: EncodedPushMessageInput; notification?: never; platform?: never; }
  |  { encoded?: never;   /** A notification, which every platform receives in its own form. */
  notification: PushNotificationInput; platform?: never; }
  |  { encoded?: never; notification?: never;   /** The payload of one platform; only devices of its channel receive it. */
  platform: PlatformPayloadInput; };

/** A notification for all platforms, with content of its own for some. */
export type PushNotificationInput = {
  /** Android. */
  android?: AndroidNotificationInput | null | undefined;
  /** Apple's platforms. */
  apple?: AppleNotificationInput | null | undefined;
  /** Number on the app's icon. Browsers receive it as `appBadge`. */
  badge?: number | null | undefined;
  /** The text. */
  body?: string | null | undefined;
  /** Keys for the app. They arrive beside `aps` on Apple's platforms, as texts in `data` on Android, in `data` in browsers. */
  data?: Record<string, unknown> | null | undefined;
  /** When push services may discard it. */
  expiresAt?: string | number | null | undefined;
  /** `default`, or a sound of the app, on Apple's platforms and Android. */
  sound?: string | null | undefined;
  /** The title. */
  title?: string | null | undefined;
  /** Browsers. */
  web?: WebNotificationInput | null | undefined;
};

/** Type of notification. */
export type PushNotificationType =
  /** Push notification. */
  | 'PUSH';

/** Platform of a device. */
export type PushPlatform =
  /** Android. */
  | 'ANDROID'
  /** iOS and iPadOS. */
  | 'IOS'
  /** A browser. */
  | 'WEB';

/** Declines a call. */
export type RejectSignalInput = {
  /** Id of the call: unique, and the same for all its signals and participants. */
  callId: string | number;
  /** Video or audio. */
  callType?: CallType | null | undefined;
  /** The user who started a group call, as claimed by the sender. In a `call` the sender when omitted. */
  callerId?: string | number | null | undefined;
  /** Further elements of extraParams. */
  extra?: Array<XmlElementInput> | null | undefined;
  /** ICE candidates. */
  iceCandidates?: Array<IceCandidateInput> | null | undefined;
  /** The called users, as claimed by the sender. In a `call` the recipient when omitted. */
  opponentIds?: Array<string | number> | null | undefined;
  /** The sender's platform, as free text. */
  platform?: string | null | undefined;
  /** Session description with CRLF line ends (RFC 8866 section 5). */
  sdp?: string | null | undefined;
  /** Custom data of the sender. From an XMPP client every value is text; docs/SIGNALING-REFERENCE.md describes its XML form. */
  userInfo?: Record<string, unknown> | null | undefined;
};

/** A member that a moderator removes. */
export type RemoveConferenceMemberInput = {
  /** The conference. */
  conferenceId: string | number;
  /** The member. */
  memberId: string | number;
};

/** The session that the socket continues with. */
export type RenewSocketInput = {
  /** Token of another session of the same user and application. */
  token: string;
};

/** An ICE restart. */
export type RestartConferencePeerInput = {
  /** The membership. */
  membershipId: string | number;
  /** SDP of the client's new offer, to publish. Omit it to watch: then the result has an offer. */
  offer?: string | null | undefined;
  /** The peer connection. */
  peerId: string | number;
};

/** A call signal to send. */
export type SendSignalInput = {
  /** Id of the stanza; generated when omitted. */
  id?: string | null | undefined;
  /** The content. */
  signal: SignalInput;
  /** The recipient. */
  to: SignalAddressInput;
};

/** What the caller has muted. Omitted kinds stay unchanged. */
export type SetConferenceMuteInput = {
  /** Whether the microphone is muted. */
  audio?: boolean | null | undefined;
  /** The membership. */
  membershipId: string | number;
  /** Whether the camera is off. */
  video?: boolean | null | undefined;
};

/** An external service that authenticates a user. */
export type SignInProvider =
  /** Facebook, by an access token. */
  | 'FACEBOOK'
  /** Firebase, by the ID token of a sign-in with a phone number. */
  | 'FIREBASE_PHONE'
  /** Twitter, by an access token and its secret. */
  | 'TWITTER';

/** The recipient of a signal. */
export type SignalAddressInput = {
  /** One device; all devices of the user when omitted. */
  device?: string | null | undefined;
  /** The user, of the same application. */
  userId: string | number;
};

/** The content of a signal: exactly one of these fields. */
export type SignalInput =
  {   /** Accepts a call. */
  accept: AcceptSignalInput; call?: never; hangUp?: never; iceCandidates?: never; iceRestart?: never; iceRestartAccept?: never; other?: never; reject?: never; update?: never; }
  |  { accept?: never;   /** Starts a call. */
  call: CallSignalInput; hangUp?: never; iceCandidates?: never; iceRestart?: never; iceRestartAccept?: never; other?: never; reject?: never; update?: never; }
  |  { accept?: never; call?: never;   /** Ends a call. */
  hangUp: HangUpSignalInput; iceCandidates?: never; iceRestart?: never; iceRestartAccept?: never; other?: never; reject?: never; update?: never; }
  |  { accept?: never; call?: never; hangUp?: never;   /** Sends ICE candidates. */
  iceCandidates: IceCandidatesSignalInput; iceRestart?: never; iceRestartAccept?: never; other?: never; reject?: never; update?: never; }
  |  { accept?: never; call?: never; hangUp?: never; iceCandidates?: never;   /** Offers an ICE restart. */
  iceRestart: IceRestartSignalInput; iceRestartAccept?: never; other?: never; reject?: never; update?: never; }
  |  { accept?: never; call?: never; hangUp?: never; iceCandidates?: never; iceRestart?: never;   /** Accepts an ICE restart. */
  iceRestartAccept: IceRestartAcceptSignalInput; other?: never; reject?: never; update?: never; }
  |  { accept?: never; call?: never; hangUp?: never; iceCandidates?: never; iceRestart?: never; iceRestartAccept?: never;   /** Sends any other signal. */
  other: OtherSignalInput; reject?: never; update?: never; }
  |  { accept?: never; call?: never; hangUp?: never; iceCandidates?: never; iceRestart?: never; iceRestartAccept?: never; other?: never;   /** Declines a call. */
  reject: RejectSignalInput; update?: never; }
  |  { accept?: never; call?: never; hangUp?: never; iceCandidates?: never; iceRestart?: never; iceRestartAccept?: never; other?: never; reject?: never;   /** Changes parameters of a call. */
  update: UpdateSignalInput; };

/** Conditions on a text; all given ones must match. */
export type StringFilter = {
  /** Equal. Primary. */
  eq?: string | null | undefined;
  /** Greater. Not on a stand-alone field. */
  gt?: string | null | undefined;
  /** Greater or equal. Not on a stand-alone field. */
  gte?: string | null | undefined;
  /** One of these. Primary. */
  in?: Array<string> | null | undefined;
  /** Less. Not on a stand-alone field. */
  lt?: string | null | undefined;
  /** Less or equal. Not on a stand-alone field. */
  lte?: string | null | undefined;
  /** None of these. Excludes. */
  nin?: Array<string> | null | undefined;
  /** Starts with this literal text of at least 4 characters. Primary; sets the limit to 5. */
  startWith?: string | null | undefined;
};

/** Changes to a conference. Omitted fields stay unchanged. */
export type UpdateConferenceInput = {
  /** Who may join. With LISTED, users who are in and not listed are removed at once. */
  access?: ConferenceAccess | null | undefined;
  /** Maximum bitrate of the video of members who publish from now on, in bits per second. */
  bitrate?: number | null | undefined;
  /** The conference. */
  conferenceId: string | number;
  /** Whether it is locked: then only members who come back and moderators get in. */
  locked?: boolean | null | undefined;
  /** Users who are listed and moderate, instead of the present ones. Those who cease to moderate stay listed unless userIds is given as well. */
  moderatorIds?: Array<string | number> | null | undefined;
  /** New name. */
  name?: string | null | undefined;
  /** Maximum number of members: 2 to 12. Members beyond it stay. */
  seats?: number | null | undefined;
  /** Users who are listed, instead of the present ones. Moderators stay listed unless moderatorIds is given as well. Of a conference for listed users, who is not listed any more is removed at once. */
  userIds?: Array<string | number> | null | undefined;
};

/** Changes parameters of a call. */
export type UpdateSignalInput = {
  /** Id of the call: unique, and the same for all its signals and participants. */
  callId: string | number;
  /** Video or audio. */
  callType?: CallType | null | undefined;
  /** The user who started a group call, as claimed by the sender. In a `call` the sender when omitted. */
  callerId?: string | number | null | undefined;
  /** Further elements of extraParams. */
  extra?: Array<XmlElementInput> | null | undefined;
  /** ICE candidates. */
  iceCandidates?: Array<IceCandidateInput> | null | undefined;
  /** The called users, as claimed by the sender. In a `call` the recipient when omitted. */
  opponentIds?: Array<string | number> | null | undefined;
  /** The changed parameters, name to value, by the rules of userInfo. */
  parameters?: Record<string, unknown> | null | undefined;
  /** The sender's platform, as free text. */
  platform?: string | null | undefined;
  /** Session description with CRLF line ends (RFC 8866 section 5). */
  sdp?: string | null | undefined;
  /** Custom data of the sender. From an XMPP client every value is text; docs/SIGNALING-REFERENCE.md describes its XML form. */
  userInfo?: Record<string, unknown> | null | undefined;
};

/** Changes to a user. Omitted fields stay unchanged; null clears a field. */
export type UpdateUserInput = {
  /** Identifier of the user's picture. */
  avatar?: string | null | undefined;
  /** Identifier of a picture; not validated. */
  blobId?: number | null | undefined;
  /** Custom data of the application, up to 5,000 characters. */
  customData?: string | null | undefined;
  /** E-mail address; login or email is required. */
  email?: string | null | undefined;
  /** Identifier in an external system. */
  externalId?: string | null | undefined;
  /** Identifier in an external system. */
  externalUserId?: string | null | undefined;
  /** Facebook id of the profile. */
  facebookId?: string | null | undefined;
  /** Display name. */
  fullName?: string | null | undefined;
  /** Id of the user to change, which must be the signed-in user. */
  id: string | number;
  /** 1 to 70 letters, digits or . - _ @ +; login or email is required. */
  login?: string | null | undefined;
  /** The current password; required with a new one. */
  oldPassword?: string | null | undefined;
  /** New password of at least 8 characters. Ends the user's other sessions. */
  password?: string | null | undefined;
  /** Phone number. */
  phone?: string | null | undefined;
  /** Tags, at most five; they replace the existing ones. */
  tags?: Array<string> | null | undefined;
  /** Offset from UTC in minutes, -720 to 840. */
  timezone?: number | null | undefined;
  /** Twitter id of the profile. */
  twitterId?: string | null | undefined;
  /** Website. */
  website?: string | null | undefined;
};

/**
 * Filter of the user list. Five rules apply: 1. a filter has at least one stand-alone field with a primary
 * operator (eq, in, startWith); 2. stand-alone fields do not support comparison operators (gt, lt, gte, lte);
 * 3. additional fields alone are not enough; 4. nin alone is not enough; 5. startWith takes at least 4 characters
 * and sets the limit to 5.
 */
export type UserFilter = {
  /** By the time of the sign-up. Additional. */
  createdAt?: DateFilter | null | undefined;
  /** By e-mail, case-insensitive. Stand-alone. */
  email?: StringFilter | null | undefined;
  /** By external id. Stand-alone. */
  externalId?: StringFilter | null | undefined;
  /** By Facebook id. Stand-alone. */
  facebookId?: StringFilter | null | undefined;
  /** By name. Stand-alone. */
  fullName?: StringFilter | null | undefined;
  /** By numeric id. Stand-alone. */
  id?: IntegerFilter | null | undefined;
  /** By the time of the last request. Additional. */
  lastRequestAt?: DateFilter | null | undefined;
  /** By login, case-insensitive. Stand-alone. */
  login?: StringFilter | null | undefined;
  /** By phone number. Stand-alone. */
  phone?: StringFilter | null | undefined;
  /** By Twitter id. Stand-alone. */
  twitterId?: StringFilter | null | undefined;
  /** By the time of the last change. Additional. */
  updatedAt?: DateFilter | null | undefined;
  /** By tag: a user matches if one of its tags does. Stand-alone or additional. */
  userTags?: StringFilter | null | undefined;
};

/** Key of one user: exactly one of these fields. */
export type UserKey =
  {   /** The user's e-mail address, case-insensitive. */
  email: string; externalId?: never; facebookId?: never; id?: never; login?: never; twitterId?: never; }
  |  { email?: never;   /** The id in an external system: matches externalId, else externalUserId. */
  externalId: string; facebookId?: never; id?: never; login?: never; twitterId?: never; }
  |  { email?: never; externalId?: never;   /** The Facebook id of a profile; the first user if several match. */
  facebookId: string; id?: never; login?: never; twitterId?: never; }
  |  { email?: never; externalId?: never; facebookId?: never;   /** The user's id. */
  id: string | number; login?: never; twitterId?: never; }
  |  { email?: never; externalId?: never; facebookId?: never; id?: never;   /** The user's login, case-insensitive. */
  login: string; twitterId?: never; }
  |  { email?: never; externalId?: never; facebookId?: never; id?: never; login?: never;   /** The Twitter id of a profile; the first user if several match. */
  twitterId: string; };

/** Order of a user list: exactly one of asc and desc; by id if omitted. */
export type UserSort = {
  /** Ascending by this field; users without a value come first. */
  asc?: UserSortField | null | undefined;
  /** Descending by this field; users without a value come last. */
  desc?: UserSortField | null | undefined;
};

/** Sort fields of the user list. */
export type UserSortField =
  /** By createdAt. */
  | 'CREATED_AT'
  /** By email. */
  | 'EMAIL'
  /** By externalId. */
  | 'EXTERNAL_ID'
  /** By facebookId. */
  | 'FACEBOOK_ID'
  /** By fullName. */
  | 'FULL_NAME'
  /** By id. */
  | 'ID'
  /** By lastRequestAt. */
  | 'LAST_REQUEST_AT'
  /** By login. */
  | 'LOGIN'
  /** By phone. */
  | 'PHONE'
  /** By twitterId. */
  | 'TWITTER_ID'
  /** By updatedAt. */
  | 'UPDATED_AT'
  /** By userTags, as one text. No index serves this order: each page reads all users that the filter matches. */
  | 'USER_TAGS';

/** What a notification has in browsers in place of its shared content. */
export type WebNotificationInput = {
  /** Number on the app's icon. Browsers receive it as `appBadge`. */
  badge?: number | null | undefined;
  /** The text. */
  body?: string | null | undefined;
  /** Keys for the app. They arrive beside `aps` on Apple's platforms, as texts in `data` on Android, in `data` in browsers. */
  data?: Record<string, unknown> | null | undefined;
  /** URL of an icon. */
  icon?: string | null | undefined;
  /** URL of a picture. */
  imageUrl?: string | null | undefined;
  /** Replaces a notification with the same tag. */
  tag?: string | null | undefined;
  /** The title. */
  title?: string | null | undefined;
};

/** A browser's PushSubscription (W3C Push API): its endpoint, and its keys in Base64. */
export type WebPushInput = {
  /** Authentication secret: 16 bytes. */
  auth?: string | null | undefined;
  /** URL at the browser's push service: https, up to 2,048 characters. */
  endpoint?: string | null | undefined;
  /** Public key: an uncompressed point on P-256, 65 bytes. */
  p256dh?: string | null | undefined;
};

/** An attribute of an XML element. */
export type XmlAttributeInput = {
  /** Name. */
  name: string;
  /** Value. */
  value: string;
};

/** An XML element. */
export type XmlElementInput = {
  /** Attributes. */
  attributes?: Array<XmlAttributeInput> | null | undefined;
  /** Child elements, in order. */
  children?: Array<XmlElementInput> | null | undefined;
  /** Name; `#text` for a run of text in mixed content. */
  name: string;
  /** Namespace where it differs from the parent's. */
  namespace?: string | null | undefined;
  /** Text of an element without children. */
  text?: string | null | undefined;
};

export type CallFieldsFragment = { id: string, callId: string, callType: CallType | null, state: CallState, callerId: string | null, startedAt: string, acceptedAt: string | null, endedAt: string | null, hungUpById: string | null, participants: Array<{ userId: string, caller: boolean, state: CallState, reason: CallReason | null, answeredAt: string | null, device: string | null, user: { id: string, fullName: string | null, login: string | null } }> };

export type GetCallQueryVariables = Exact<{
  callId: string | number;
}>;


export type GetCallQuery = { call: { id: string, callId: string, callType: CallType | null, state: CallState, callerId: string | null, startedAt: string, acceptedAt: string | null, endedAt: string | null, hungUpById: string | null, participants: Array<{ userId: string, caller: boolean, state: CallState, reason: CallReason | null, answeredAt: string | null, device: string | null, user: { id: string, fullName: string | null, login: string | null } }> } };

export type ListCallsQueryVariables = Exact<{
  states?: Array<CallState> | CallState | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ListCallsQuery = { calls: { nodes: Array<{ id: string, callId: string, callType: CallType | null, state: CallState, callerId: string | null, startedAt: string, acceptedAt: string | null, endedAt: string | null, hungUpById: string | null, participants: Array<{ userId: string, caller: boolean, state: CallState, reason: CallReason | null, answeredAt: string | null, device: string | null, user: { id: string, fullName: string | null, login: string | null } }> }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } };

export type ConferenceFieldsFragment = { id: string, name: string, seats: number, video: boolean, access: ConferenceAccess, locked: boolean, bitrate: number, creatorId: string | null, createdAt: string, closedAt: string | null };

export type MemberFieldsFragment = { id: string, userId: string | null, name: string, moderator: boolean, publishing: boolean, sharingScreen: boolean, audioMuted: boolean | null, videoMuted: boolean | null, joinedAt: string };

export type SettingsFieldsFragment = { id: string, name: string, seats: number, video: boolean, access: ConferenceAccess, locked: boolean, bitrate: number };

export type StreamFieldsFragment = { mid: string, kind: ConferenceStreamKind, memberId: string | null, source: ConferenceMediaSource | null };

export type ListConferencesQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ListConferencesQuery = { conferences: { nodes: Array<{ id: string, name: string, seats: number, video: boolean, access: ConferenceAccess, locked: boolean, bitrate: number, creatorId: string | null, createdAt: string, closedAt: string | null }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } };

export type GetConferenceQueryVariables = Exact<{
  id: string | number;
}>;


export type GetConferenceQuery = { conference: { id: string, name: string, seats: number, video: boolean, access: ConferenceAccess, locked: boolean, bitrate: number, creatorId: string | null, createdAt: string, closedAt: string | null } };

export type CreateConferenceMutationVariables = Exact<{
  input: CreateConferenceInput;
}>;


export type CreateConferenceMutation = { createConference: { conference: { id: string, name: string, seats: number, video: boolean, access: ConferenceAccess, locked: boolean, bitrate: number, creatorId: string | null, createdAt: string, closedAt: string | null } } };

export type UpdateConferenceMutationVariables = Exact<{
  input: UpdateConferenceInput;
}>;


export type UpdateConferenceMutation = { updateConference: { conference: { id: string, name: string, seats: number, video: boolean, access: ConferenceAccess, locked: boolean, bitrate: number, creatorId: string | null, createdAt: string, closedAt: string | null } } };

export type CloseConferenceMutationVariables = Exact<{
  input: ConferenceInput;
}>;


export type CloseConferenceMutation = { closeConference: { conference: { id: string } } };

export type InviteToConferenceMutationVariables = Exact<{
  input: InviteToConferenceInput;
}>;


export type InviteToConferenceMutation = { inviteToConference: { conference: { id: string } } };

export type CreateConferenceLinkMutationVariables = Exact<{
  input: CreateConferenceLinkInput;
}>;


export type CreateConferenceLinkMutation = { createConferenceLink: { secret: string, link: { id: string, expiresAt: string, maxUses: number, uses: number } } };

export type DeleteConferenceLinkMutationVariables = Exact<{
  input: DeleteConferenceLinkInput;
}>;


export type DeleteConferenceLinkMutation = { deleteConferenceLink: { deletedLinkId: string } };

export type AdmitConferenceGuestMutationVariables = Exact<{
  input: AdmitConferenceGuestInput;
}>;


export type AdmitConferenceGuestMutation = { admitConferenceGuest: { token: string, conference: { id: string } } };

export type JoinConferenceMutationVariables = Exact<{
  input: ConferenceInput;
}>;


export type JoinConferenceMutation = { joinConference: { membershipId: string, member: { id: string }, conference: { id: string, name: string, seats: number, video: boolean, access: ConferenceAccess, locked: boolean, bitrate: number, creatorId: string | null, createdAt: string, closedAt: string | null, members: Array<{ id: string, userId: string | null, name: string, moderator: boolean, publishing: boolean, sharingScreen: boolean, audioMuted: boolean | null, videoMuted: boolean | null, joinedAt: string }> }, iceServers: Array<{ urls: Array<string>, username: string | null, credential: string | null }> } };

export type LeaveConferenceMutationVariables = Exact<{
  input: MembershipInput;
}>;


export type LeaveConferenceMutation = { leaveConference: { done: boolean } };

export type SetConferenceMuteMutationVariables = Exact<{
  input: SetConferenceMuteInput;
}>;


export type SetConferenceMuteMutation = { setConferenceMute: { member: { id: string } } };

export type MuteConferenceMemberMutationVariables = Exact<{
  input: MuteConferenceMemberInput;
}>;


export type MuteConferenceMemberMutation = { muteConferenceMember: { member: { id: string } } };

export type RemoveConferenceMemberMutationVariables = Exact<{
  input: RemoveConferenceMemberInput;
}>;


export type RemoveConferenceMemberMutation = { removeConferenceMember: { done: boolean } };

export type PublishConferenceMediaMutationVariables = Exact<{
  input: PublishConferenceMediaInput;
}>;


export type PublishConferenceMediaMutation = { publishConferenceMedia: { peerId: string, answer: string } };

export type WatchConferenceMutationVariables = Exact<{
  input: MembershipInput;
}>;


export type WatchConferenceMutation = { watchConference: { peerId: string, offer: string | null, streams: Array<{ mid: string, kind: ConferenceStreamKind, memberId: string | null, source: ConferenceMediaSource | null }> } };

export type AnswerConferencePeerMutationVariables = Exact<{
  input: AnswerConferencePeerInput;
}>;


export type AnswerConferencePeerMutation = { answerConferencePeer: { done: boolean } };

export type AddConferenceCandidateMutationVariables = Exact<{
  input: AddConferenceCandidateInput;
}>;


export type AddConferenceCandidateMutation = { addConferenceCandidate: { done: boolean } };

export type RestartConferencePeerMutationVariables = Exact<{
  input: RestartConferencePeerInput;
}>;


export type RestartConferencePeerMutation = { restartConferencePeer: { sdp: string, replaced: boolean } };

export type ConfigureConferencePeerMutationVariables = Exact<{
  input: ConfigureConferencePeerInput;
}>;


export type ConfigureConferencePeerMutation = { configureConferencePeer: { done: boolean } };

export type CloseConferencePeerMutationVariables = Exact<{
  input: ConferencePeerInput;
}>;


export type CloseConferencePeerMutation = { closeConferencePeer: { done: boolean } };

export type ConferenceEventsSubscriptionVariables = Exact<{
  membershipId: string | number;
  after?: string | null | undefined;
}>;


export type ConferenceEventsSubscription = { conferenceEvents:
    | { __typename: 'ConferenceEndedEvent', reason: ConferenceLeaveReason, cursor: string }
    | { __typename: 'ConferenceMemberJoinedEvent', cursor: string, member: { id: string, userId: string | null, name: string, moderator: boolean, publishing: boolean, sharingScreen: boolean, audioMuted: boolean | null, videoMuted: boolean | null, joinedAt: string } }
    | { __typename: 'ConferenceMemberLeftEvent', memberId: string, reason: ConferenceLeaveReason, cursor: string }
    | { __typename: 'ConferenceMemberUpdatedEvent', cursor: string, member: { id: string, userId: string | null, name: string, moderator: boolean, publishing: boolean, sharingScreen: boolean, audioMuted: boolean | null, videoMuted: boolean | null, joinedAt: string } }
    | { __typename: 'ConferencePeerClosedEvent', peerId: string, cursor: string }
    | { __typename: 'ConferenceReconnectEvent', cursor: string }
    | { __typename: 'ConferenceReplacedEvent', cursor: string }
    | { __typename: 'ConferenceSnapshotEvent', cursor: string, conference: { id: string, name: string, seats: number, video: boolean, access: ConferenceAccess, locked: boolean, bitrate: number }, members: Array<{ id: string, userId: string | null, name: string, moderator: boolean, publishing: boolean, sharingScreen: boolean, audioMuted: boolean | null, videoMuted: boolean | null, joinedAt: string }> }
    | { __typename: 'ConferenceStatisticsEvent', cursor: string }
    | { __typename: 'ConferenceStreamsEvent', peerId: string, offer: string | null, cursor: string, streams: Array<{ mid: string, kind: ConferenceStreamKind, memberId: string | null, source: ConferenceMediaSource | null }> }
    | { __typename: 'ConferenceUpdatedEvent', cursor: string, conference: { id: string, name: string, seats: number, video: boolean, access: ConferenceAccess, locked: boolean, bitrate: number } }
   };

export type ConferenceInvitationsSubscriptionVariables = Exact<{
  after?: string | null | undefined;
}>;


export type ConferenceInvitationsSubscription = { conferenceInvitations: { cursor: string, inviterId: string, conference: { id: string, name: string, seats: number, video: boolean, access: ConferenceAccess, locked: boolean, bitrate: number, creatorId: string | null, createdAt: string, closedAt: string | null } } };

export type PushSubscriptionFieldsFragment = { id: string, channel: PushChannel, environment: PushEnvironment, platform: PushPlatform, udid: string, bundleId: string | null, createdAt: string, updatedAt: string };

export type WebPushKeyQueryVariables = Exact<{
  environment: PushEnvironment;
}>;


export type WebPushKeyQuery = { webPushKey: string | null };

export type ListPushSubscriptionsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ListPushSubscriptionsQuery = { pushSubscriptions: { totalCount: number, nodes: Array<{ id: string, channel: PushChannel, environment: PushEnvironment, platform: PushPlatform, udid: string, bundleId: string | null, createdAt: string, updatedAt: string }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } };

export type CreatePushSubscriptionMutationVariables = Exact<{
  input: CreatePushSubscriptionInput;
}>;


export type CreatePushSubscriptionMutation = { createPushSubscription: { subscription: { id: string, channel: PushChannel, environment: PushEnvironment, platform: PushPlatform, udid: string, bundleId: string | null, createdAt: string, updatedAt: string } } };

export type DeletePushSubscriptionMutationVariables = Exact<{
  input: DeletePushSubscriptionInput;
}>;


export type DeletePushSubscriptionMutation = { deletePushSubscription: { deletedPushSubscriptionId: string } };

export type CreatePushEventMutationVariables = Exact<{
  input: CreatePushEventInput;
  idempotencyKey?: string | null | undefined;
}>;


export type CreatePushEventMutation = { createPushEvent: { events: Array<{ id: string, channel: PushChannel, environment: PushEnvironment, deliveryCount: number, createdAt: string }> } };

export type SessionFieldsFragment = { id: string, token: string, applicationId: string, userId: string | null, expiresAt: string };

export type CurrentSessionQueryVariables = Exact<{ [key: string]: never; }>;


export type CurrentSessionQuery = { currentSession: { id: string, token: string, applicationId: string, userId: string | null, expiresAt: string, user: { id: string, login: string | null, email: string | null, fullName: string | null, phone: string | null, website: string | null, avatar: string | null, customData: string | null, externalId: string | null, facebookId: string | null, twitterId: string | null, tags: Array<string>, timezone: number | null, isGuest: boolean, createdAt: string, updatedAt: string, lastRequestAt: string | null } | null } };

export type CreateSessionMutationVariables = Exact<{
  input: CreateSessionInput;
}>;


export type CreateSessionMutation = { createSession: { session: { id: string, token: string, applicationId: string, userId: string | null, expiresAt: string } } };

export type CreateWebSessionMutationVariables = Exact<{
  input: CreateWebSessionInput;
}>;


export type CreateWebSessionMutation = { createWebSession: { qrCode: string, session: { id: string, token: string, applicationId: string, userId: string | null, expiresAt: string } } };

export type SessionBoundSubscriptionVariables = Exact<{ [key: string]: never; }>;


export type SessionBoundSubscription = { sessionBound: { id: string, token: string, applicationId: string, userId: string | null, expiresAt: string } };

export type BindWebSessionMutationVariables = Exact<{
  input: BindWebSessionInput;
}>;


export type BindWebSessionMutation = { bindWebSession: { bound: boolean } };

export type LogInMutationVariables = Exact<{
  input: LoginInput;
}>;


export type LogInMutation = { login: { session: { id: string, token: string, applicationId: string, userId: string | null, expiresAt: string }, user: { id: string, login: string | null, email: string | null, fullName: string | null, phone: string | null, website: string | null, avatar: string | null, customData: string | null, externalId: string | null, facebookId: string | null, twitterId: string | null, tags: Array<string>, timezone: number | null, isGuest: boolean, createdAt: string, updatedAt: string, lastRequestAt: string | null } } };

export type LogOutMutationVariables = Exact<{ [key: string]: never; }>;


export type LogOutMutation = { logout: { session: { id: string, token: string, applicationId: string, userId: string | null, expiresAt: string } } };

export type DestroySessionMutationVariables = Exact<{ [key: string]: never; }>;


export type DestroySessionMutation = { destroySession: { destroyed: boolean } };

export type DestroyOtherSessionsMutationVariables = Exact<{ [key: string]: never; }>;


export type DestroyOtherSessionsMutation = { destroyOtherSessions: { destroyedCount: number } };

export type RenewSocketMutationVariables = Exact<{
  input: RenewSocketInput;
}>;


export type RenewSocketMutation = { renewSocket: { session: { id: string, token: string, applicationId: string, userId: string | null, expiresAt: string } } };

export type ListSessionsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ListSessionsQuery = { sessions: { nodes: Array<{ id: string, current: boolean, ip: string, userAgent: string, lastActivityAt: string }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } };

export type CheckOwnerQueryVariables = Exact<{ [key: string]: never; }>;


export type CheckOwnerQuery = { account: { id: string } };

export type CallSignalsSubscriptionVariables = Exact<{
  after?: string | null | undefined;
  allowGap?: boolean;
}>;


export type CallSignalsSubscription = { callSignals:
    | { __typename: 'AcceptSignal', id: string, cursor: string, mayHaveMissed: boolean, signalType: string, callId: string, callType: CallType | null, sdp: string, platform: string | null, callerId: string | null, opponentIds: Array<string> | null, userInfo: Record<string, unknown> | null, from: { userId: string, device: string | null }, iceCandidates: Array<{ candidate: string | null, sdpMid: string | null, sdpMLineIndex: number | null }> | null, extra: Array<{ name: string, text: string | null }> }
    | { __typename: 'CallSignal', id: string, cursor: string, mayHaveMissed: boolean, signalType: string, callId: string, callType: CallType, sdp: string, platform: string | null, callerId: string | null, opponentIds: Array<string> | null, userInfo: Record<string, unknown> | null, from: { userId: string, device: string | null }, iceCandidates: Array<{ candidate: string | null, sdpMid: string | null, sdpMLineIndex: number | null }> | null, extra: Array<{ name: string, text: string | null }> }
    | { __typename: 'HangUpSignal', id: string, cursor: string, mayHaveMissed: boolean, signalType: string, callId: string, callType: CallType | null, sdp: string | null, platform: string | null, callerId: string | null, opponentIds: Array<string> | null, userInfo: Record<string, unknown> | null, from: { userId: string, device: string | null }, iceCandidates: Array<{ candidate: string | null, sdpMid: string | null, sdpMLineIndex: number | null }> | null, extra: Array<{ name: string, text: string | null }> }
    | { __typename: 'IceCandidatesSignal', id: string, cursor: string, mayHaveMissed: boolean, signalType: string, callId: string, callType: CallType | null, sdp: string | null, platform: string | null, callerId: string | null, opponentIds: Array<string> | null, userInfo: Record<string, unknown> | null, from: { userId: string, device: string | null }, iceCandidates: Array<{ candidate: string | null, sdpMid: string | null, sdpMLineIndex: number | null }>, extra: Array<{ name: string, text: string | null }> }
    | { __typename: 'IceRestartAcceptSignal', id: string, cursor: string, mayHaveMissed: boolean, signalType: string, callId: string, callType: CallType | null, sdp: string, platform: string | null, callerId: string | null, opponentIds: Array<string> | null, userInfo: Record<string, unknown> | null, from: { userId: string, device: string | null }, iceCandidates: Array<{ candidate: string | null, sdpMid: string | null, sdpMLineIndex: number | null }> | null, extra: Array<{ name: string, text: string | null }> }
    | { __typename: 'IceRestartSignal', id: string, cursor: string, mayHaveMissed: boolean, signalType: string, callId: string, callType: CallType | null, sdp: string, platform: string | null, callerId: string | null, opponentIds: Array<string> | null, userInfo: Record<string, unknown> | null, from: { userId: string, device: string | null }, iceCandidates: Array<{ candidate: string | null, sdpMid: string | null, sdpMLineIndex: number | null }> | null, extra: Array<{ name: string, text: string | null }> }
    | { __typename: 'OtherSignal', id: string, cursor: string, mayHaveMissed: boolean, signalType: string, callId: string | null, callType: CallType | null, sdp: string | null, platform: string | null, callerId: string | null, opponentIds: Array<string> | null, userInfo: Record<string, unknown> | null, from: { userId: string, device: string | null }, iceCandidates: Array<{ candidate: string | null, sdpMid: string | null, sdpMLineIndex: number | null }> | null, extra: Array<{ name: string, text: string | null }> }
    | { __typename: 'RejectSignal', id: string, cursor: string, mayHaveMissed: boolean, signalType: string, callId: string, callType: CallType | null, sdp: string | null, platform: string | null, callerId: string | null, opponentIds: Array<string> | null, userInfo: Record<string, unknown> | null, from: { userId: string, device: string | null }, iceCandidates: Array<{ candidate: string | null, sdpMid: string | null, sdpMLineIndex: number | null }> | null, extra: Array<{ name: string, text: string | null }> }
    | { __typename: 'UpdateSignal', parameters: Record<string, unknown> | null, id: string, cursor: string, mayHaveMissed: boolean, signalType: string, callId: string, callType: CallType | null, sdp: string | null, platform: string | null, callerId: string | null, opponentIds: Array<string> | null, userInfo: Record<string, unknown> | null, from: { userId: string, device: string | null }, iceCandidates: Array<{ candidate: string | null, sdpMid: string | null, sdpMLineIndex: number | null }> | null, extra: Array<{ name: string, text: string | null }> }
   };

export type CallAnswersSubscriptionVariables = Exact<{
  after?: string | null | undefined;
  allowGap?: boolean;
}>;


export type CallAnswersSubscription = { callAnswers: { callId: string, cursor: string, device: string, signalType: string, peer: { userId: string, device: string | null } } };

export type SendSignalMutationVariables = Exact<{
  input: SendSignalInput;
}>;


export type SendSignalMutation = { sendSignal: { id: string, cursor: string } };

export type IceServersQueryVariables = Exact<{ [key: string]: never; }>;


export type IceServersQuery = { iceServers: Array<{ urls: Array<string>, username: string | null, credential: string | null, expiresAt: string | null }> };

export type UserFieldsFragment = { id: string, login: string | null, email: string | null, fullName: string | null, phone: string | null, website: string | null, avatar: string | null, customData: string | null, externalId: string | null, facebookId: string | null, twitterId: string | null, tags: Array<string>, timezone: number | null, isGuest: boolean, createdAt: string, updatedAt: string, lastRequestAt: string | null };

export type GetUserQueryVariables = Exact<{
  by: UserKey;
}>;


export type GetUserQuery = { user: { id: string, login: string | null, email: string | null, fullName: string | null, phone: string | null, website: string | null, avatar: string | null, customData: string | null, externalId: string | null, facebookId: string | null, twitterId: string | null, tags: Array<string>, timezone: number | null, isGuest: boolean, createdAt: string, updatedAt: string, lastRequestAt: string | null } | null };

export type ListUsersQueryVariables = Exact<{
  filter?: UserFilter | null | undefined;
  sort?: UserSort | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ListUsersQuery = { users: { totalCount: number, nodes: Array<{ id: string, login: string | null, email: string | null, fullName: string | null, phone: string | null, website: string | null, avatar: string | null, customData: string | null, externalId: string | null, facebookId: string | null, twitterId: string | null, tags: Array<string>, timezone: number | null, isGuest: boolean, createdAt: string, updatedAt: string, lastRequestAt: string | null }>, pageInfo: { endCursor: string | null, hasNextPage: boolean } } };

export type CreateUserMutationVariables = Exact<{
  input: CreateUserInput;
}>;


export type CreateUserMutation = { createUser: { user: { id: string, login: string | null, email: string | null, fullName: string | null, phone: string | null, website: string | null, avatar: string | null, customData: string | null, externalId: string | null, facebookId: string | null, twitterId: string | null, tags: Array<string>, timezone: number | null, isGuest: boolean, createdAt: string, updatedAt: string, lastRequestAt: string | null } } };

export type UpdateUserMutationVariables = Exact<{
  input: UpdateUserInput;
}>;


export type UpdateUserMutation = { updateUser: { user: { id: string, login: string | null, email: string | null, fullName: string | null, phone: string | null, website: string | null, avatar: string | null, customData: string | null, externalId: string | null, facebookId: string | null, twitterId: string | null, tags: Array<string>, timezone: number | null, isGuest: boolean, createdAt: string, updatedAt: string, lastRequestAt: string | null } } };

export type DeleteUserMutationVariables = Exact<{
  input: DeleteUserInput;
}>;


export type DeleteUserMutation = { deleteUser: { deletedUserId: string } };

export const GetCallDocument =
  "query GetCall($callId:ID!){call(callId:$callId){...CallFields}}fragment CallFields on Call{id callId callType state callerId startedAt acceptedAt endedAt hungUpById participants{userId caller state reason answeredAt device user{id fullName login}}}" as Document<
    GetCallQuery,
    GetCallQueryVariables
  >;

export const ListCallsDocument =
  "query ListCalls($states:[CallState!]$first:Int$after:String){calls(states:$states first:$first after:$after){nodes{...CallFields}pageInfo{endCursor hasNextPage}}}fragment CallFields on Call{id callId callType state callerId startedAt acceptedAt endedAt hungUpById participants{userId caller state reason answeredAt device user{id fullName login}}}" as Document<
    ListCallsQuery,
    ListCallsQueryVariables
  >;

export const ListConferencesDocument =
  "query ListConferences($first:Int$after:String){conferences(first:$first after:$after){nodes{...ConferenceFields}pageInfo{endCursor hasNextPage}}}fragment ConferenceFields on Conference{id name seats video access locked bitrate creatorId createdAt closedAt}" as Document<
    ListConferencesQuery,
    ListConferencesQueryVariables
  >;

export const GetConferenceDocument =
  "query GetConference($id:ID!){conference(id:$id){...ConferenceFields}}fragment ConferenceFields on Conference{id name seats video access locked bitrate creatorId createdAt closedAt}" as Document<
    GetConferenceQuery,
    GetConferenceQueryVariables
  >;

export const CreateConferenceDocument =
  "mutation CreateConference($input:CreateConferenceInput!){createConference(input:$input){conference{...ConferenceFields}}}fragment ConferenceFields on Conference{id name seats video access locked bitrate creatorId createdAt closedAt}" as Document<
    CreateConferenceMutation,
    CreateConferenceMutationVariables
  >;

export const UpdateConferenceDocument =
  "mutation UpdateConference($input:UpdateConferenceInput!){updateConference(input:$input){conference{...ConferenceFields}}}fragment ConferenceFields on Conference{id name seats video access locked bitrate creatorId createdAt closedAt}" as Document<
    UpdateConferenceMutation,
    UpdateConferenceMutationVariables
  >;

export const CloseConferenceDocument =
  "mutation CloseConference($input:ConferenceInput!){closeConference(input:$input){conference{id}}}" as Document<
    CloseConferenceMutation,
    CloseConferenceMutationVariables
  >;

export const InviteToConferenceDocument =
  "mutation InviteToConference($input:InviteToConferenceInput!){inviteToConference(input:$input){conference{id}}}" as Document<
    InviteToConferenceMutation,
    InviteToConferenceMutationVariables
  >;

export const CreateConferenceLinkDocument =
  "mutation CreateConferenceLink($input:CreateConferenceLinkInput!){createConferenceLink(input:$input){secret link{id expiresAt maxUses uses}}}" as Document<
    CreateConferenceLinkMutation,
    CreateConferenceLinkMutationVariables
  >;

export const DeleteConferenceLinkDocument =
  "mutation DeleteConferenceLink($input:DeleteConferenceLinkInput!){deleteConferenceLink(input:$input){deletedLinkId}}" as Document<
    DeleteConferenceLinkMutation,
    DeleteConferenceLinkMutationVariables
  >;

export const AdmitConferenceGuestDocument =
  "mutation AdmitConferenceGuest($input:AdmitConferenceGuestInput!){admitConferenceGuest(input:$input){token conference{id}}}" as Document<
    AdmitConferenceGuestMutation,
    AdmitConferenceGuestMutationVariables
  >;

export const JoinConferenceDocument =
  "mutation JoinConference($input:ConferenceInput!){joinConference(input:$input){membershipId member{id}conference{...ConferenceFields members{...MemberFields}}iceServers{urls username credential}}}fragment ConferenceFields on Conference{id name seats video access locked bitrate creatorId createdAt closedAt}fragment MemberFields on ConferenceMember{id userId name moderator publishing sharingScreen audioMuted videoMuted joinedAt}" as Document<
    JoinConferenceMutation,
    JoinConferenceMutationVariables
  >;

export const LeaveConferenceDocument =
  "mutation LeaveConference($input:MembershipInput!){leaveConference(input:$input){done}}" as Document<
    LeaveConferenceMutation,
    LeaveConferenceMutationVariables
  >;

export const SetConferenceMuteDocument =
  "mutation SetConferenceMute($input:SetConferenceMuteInput!){setConferenceMute(input:$input){member{id}}}" as Document<
    SetConferenceMuteMutation,
    SetConferenceMuteMutationVariables
  >;

export const MuteConferenceMemberDocument =
  "mutation MuteConferenceMember($input:MuteConferenceMemberInput!){muteConferenceMember(input:$input){member{id}}}" as Document<
    MuteConferenceMemberMutation,
    MuteConferenceMemberMutationVariables
  >;

export const RemoveConferenceMemberDocument =
  "mutation RemoveConferenceMember($input:RemoveConferenceMemberInput!){removeConferenceMember(input:$input){done}}" as Document<
    RemoveConferenceMemberMutation,
    RemoveConferenceMemberMutationVariables
  >;

export const PublishConferenceMediaDocument =
  "mutation PublishConferenceMedia($input:PublishConferenceMediaInput!){publishConferenceMedia(input:$input){peerId answer}}" as Document<
    PublishConferenceMediaMutation,
    PublishConferenceMediaMutationVariables
  >;

export const WatchConferenceDocument =
  "mutation WatchConference($input:MembershipInput!){watchConference(input:$input){peerId offer streams{...StreamFields}}}fragment StreamFields on ConferenceStream{mid kind memberId source}" as Document<
    WatchConferenceMutation,
    WatchConferenceMutationVariables
  >;

export const AnswerConferencePeerDocument =
  "mutation AnswerConferencePeer($input:AnswerConferencePeerInput!){answerConferencePeer(input:$input){done}}" as Document<
    AnswerConferencePeerMutation,
    AnswerConferencePeerMutationVariables
  >;

export const AddConferenceCandidateDocument =
  "mutation AddConferenceCandidate($input:AddConferenceCandidateInput!){addConferenceCandidate(input:$input){done}}" as Document<
    AddConferenceCandidateMutation,
    AddConferenceCandidateMutationVariables
  >;

export const RestartConferencePeerDocument =
  "mutation RestartConferencePeer($input:RestartConferencePeerInput!){restartConferencePeer(input:$input){sdp replaced}}" as Document<
    RestartConferencePeerMutation,
    RestartConferencePeerMutationVariables
  >;

export const ConfigureConferencePeerDocument =
  "mutation ConfigureConferencePeer($input:ConfigureConferencePeerInput!){configureConferencePeer(input:$input){done}}" as Document<
    ConfigureConferencePeerMutation,
    ConfigureConferencePeerMutationVariables
  >;

export const CloseConferencePeerDocument =
  "mutation CloseConferencePeer($input:ConferencePeerInput!){closeConferencePeer(input:$input){done}}" as Document<
    CloseConferencePeerMutation,
    CloseConferencePeerMutationVariables
  >;

export const ConferenceEventsDocument =
  "subscription ConferenceEvents($membershipId:ID!$after:String){conferenceEvents(membershipId:$membershipId after:$after){__typename cursor ...on ConferenceSnapshotEvent{conference{...SettingsFields}members{...MemberFields}}...on ConferenceUpdatedEvent{conference{...SettingsFields}}...on ConferenceMemberJoinedEvent{member{...MemberFields}}...on ConferenceMemberUpdatedEvent{member{...MemberFields}}...on ConferenceMemberLeftEvent{memberId reason}...on ConferenceEndedEvent{reason}...on ConferenceStreamsEvent{peerId offer streams{...StreamFields}}...on ConferencePeerClosedEvent{peerId}}}fragment SettingsFields on ConferenceSettings{id name seats video access locked bitrate}fragment MemberFields on ConferenceMember{id userId name moderator publishing sharingScreen audioMuted videoMuted joinedAt}fragment StreamFields on ConferenceStream{mid kind memberId source}" as Document<
    ConferenceEventsSubscription,
    ConferenceEventsSubscriptionVariables
  >;

export const ConferenceInvitationsDocument =
  "subscription ConferenceInvitations($after:String){conferenceInvitations(after:$after){cursor inviterId conference{...ConferenceFields}}}fragment ConferenceFields on Conference{id name seats video access locked bitrate creatorId createdAt closedAt}" as Document<
    ConferenceInvitationsSubscription,
    ConferenceInvitationsSubscriptionVariables
  >;

export const WebPushKeyDocument =
  "query WebPushKey($environment:PushEnvironment!){webPushKey(environment:$environment)}" as Document<
    WebPushKeyQuery,
    WebPushKeyQueryVariables
  >;

export const ListPushSubscriptionsDocument =
  "query ListPushSubscriptions($first:Int$after:String){pushSubscriptions(first:$first after:$after){nodes{...PushSubscriptionFields}totalCount pageInfo{endCursor hasNextPage}}}fragment PushSubscriptionFields on PushSubscription{id channel environment platform udid bundleId createdAt updatedAt}" as Document<
    ListPushSubscriptionsQuery,
    ListPushSubscriptionsQueryVariables
  >;

export const CreatePushSubscriptionDocument =
  "mutation CreatePushSubscription($input:CreatePushSubscriptionInput!){createPushSubscription(input:$input){subscription{...PushSubscriptionFields}}}fragment PushSubscriptionFields on PushSubscription{id channel environment platform udid bundleId createdAt updatedAt}" as Document<
    CreatePushSubscriptionMutation,
    CreatePushSubscriptionMutationVariables
  >;

export const DeletePushSubscriptionDocument =
  "mutation DeletePushSubscription($input:DeletePushSubscriptionInput!){deletePushSubscription(input:$input){deletedPushSubscriptionId}}" as Document<
    DeletePushSubscriptionMutation,
    DeletePushSubscriptionMutationVariables
  >;

export const CreatePushEventDocument =
  "mutation CreatePushEvent($input:CreatePushEventInput!$idempotencyKey:String){createPushEvent(input:$input idempotencyKey:$idempotencyKey){events{id channel environment deliveryCount createdAt}}}" as Document<
    CreatePushEventMutation,
    CreatePushEventMutationVariables
  >;

export const CurrentSessionDocument =
  "query CurrentSession{currentSession{...SessionFields user{...UserFields}}}fragment SessionFields on Session{id token applicationId userId expiresAt}fragment UserFields on User{id login email fullName phone website avatar customData externalId facebookId twitterId tags timezone isGuest createdAt updatedAt lastRequestAt}" as Document<
    CurrentSessionQuery,
    CurrentSessionQueryVariables
  >;

export const CreateSessionDocument =
  "mutation CreateSession($input:CreateSessionInput!){createSession(input:$input){session{...SessionFields}}}fragment SessionFields on Session{id token applicationId userId expiresAt}" as Document<
    CreateSessionMutation,
    CreateSessionMutationVariables
  >;

export const CreateWebSessionDocument =
  "mutation CreateWebSession($input:CreateWebSessionInput!){createWebSession(input:$input){qrCode session{...SessionFields}}}fragment SessionFields on Session{id token applicationId userId expiresAt}" as Document<
    CreateWebSessionMutation,
    CreateWebSessionMutationVariables
  >;

export const SessionBoundDocument =
  "subscription SessionBound{sessionBound{...SessionFields}}fragment SessionFields on Session{id token applicationId userId expiresAt}" as Document<
    SessionBoundSubscription,
    SessionBoundSubscriptionVariables
  >;

export const BindWebSessionDocument =
  "mutation BindWebSession($input:BindWebSessionInput!){bindWebSession(input:$input){bound}}" as Document<
    BindWebSessionMutation,
    BindWebSessionMutationVariables
  >;

export const LogInDocument =
  "mutation LogIn($input:LoginInput!){login(input:$input){session{...SessionFields}user{...UserFields}}}fragment SessionFields on Session{id token applicationId userId expiresAt}fragment UserFields on User{id login email fullName phone website avatar customData externalId facebookId twitterId tags timezone isGuest createdAt updatedAt lastRequestAt}" as Document<
    LogInMutation,
    LogInMutationVariables
  >;

export const LogOutDocument =
  "mutation LogOut{logout{session{...SessionFields}}}fragment SessionFields on Session{id token applicationId userId expiresAt}" as Document<
    LogOutMutation,
    LogOutMutationVariables
  >;

export const DestroySessionDocument =
  "mutation DestroySession{destroySession{destroyed}}" as Document<
    DestroySessionMutation,
    DestroySessionMutationVariables
  >;

export const DestroyOtherSessionsDocument =
  "mutation DestroyOtherSessions{destroyOtherSessions{destroyedCount}}" as Document<
    DestroyOtherSessionsMutation,
    DestroyOtherSessionsMutationVariables
  >;

export const RenewSocketDocument =
  "mutation RenewSocket($input:RenewSocketInput!){renewSocket(input:$input){session{...SessionFields}}}fragment SessionFields on Session{id token applicationId userId expiresAt}" as Document<
    RenewSocketMutation,
    RenewSocketMutationVariables
  >;

export const ListSessionsDocument =
  "query ListSessions($first:Int$after:String){sessions(first:$first after:$after){nodes{id current ip userAgent lastActivityAt}pageInfo{endCursor hasNextPage}}}" as Document<
    ListSessionsQuery,
    ListSessionsQueryVariables
  >;

export const CheckOwnerDocument =
  "query CheckOwner{account{id}}" as Document<
    CheckOwnerQuery,
    CheckOwnerQueryVariables
  >;

export const CallSignalsDocument =
  "subscription CallSignals($after:String$allowGap:Boolean!=false){callSignals(after:$after allowGap:$allowGap){__typename id cursor mayHaveMissed from{userId device}signalType callId callType sdp platform callerId opponentIds userInfo iceCandidates{candidate sdpMid sdpMLineIndex}extra{name text}...on UpdateSignal{parameters}}}" as Document<
    CallSignalsSubscription,
    CallSignalsSubscriptionVariables
  >;

export const CallAnswersDocument =
  "subscription CallAnswers($after:String$allowGap:Boolean!=false){callAnswers(after:$after allowGap:$allowGap){callId cursor device signalType peer{userId device}}}" as Document<
    CallAnswersSubscription,
    CallAnswersSubscriptionVariables
  >;

export const SendSignalDocument =
  "mutation SendSignal($input:SendSignalInput!){sendSignal(input:$input){id cursor}}" as Document<
    SendSignalMutation,
    SendSignalMutationVariables
  >;

export const IceServersDocument =
  "query IceServers{iceServers{urls username credential expiresAt}}" as Document<
    IceServersQuery,
    IceServersQueryVariables
  >;

export const GetUserDocument =
  "query GetUser($by:UserKey!){user(by:$by){...UserFields}}fragment UserFields on User{id login email fullName phone website avatar customData externalId facebookId twitterId tags timezone isGuest createdAt updatedAt lastRequestAt}" as Document<
    GetUserQuery,
    GetUserQueryVariables
  >;

export const ListUsersDocument =
  "query ListUsers($filter:UserFilter$sort:UserSort$first:Int$after:String){users(filter:$filter sort:$sort first:$first after:$after){nodes{...UserFields}totalCount pageInfo{endCursor hasNextPage}}}fragment UserFields on User{id login email fullName phone website avatar customData externalId facebookId twitterId tags timezone isGuest createdAt updatedAt lastRequestAt}" as Document<
    ListUsersQuery,
    ListUsersQueryVariables
  >;

export const CreateUserDocument =
  "mutation CreateUser($input:CreateUserInput!){createUser(input:$input){user{...UserFields}}}fragment UserFields on User{id login email fullName phone website avatar customData externalId facebookId twitterId tags timezone isGuest createdAt updatedAt lastRequestAt}" as Document<
    CreateUserMutation,
    CreateUserMutationVariables
  >;

export const UpdateUserDocument =
  "mutation UpdateUser($input:UpdateUserInput!){updateUser(input:$input){user{...UserFields}}}fragment UserFields on User{id login email fullName phone website avatar customData externalId facebookId twitterId tags timezone isGuest createdAt updatedAt lastRequestAt}" as Document<
    UpdateUserMutation,
    UpdateUserMutationVariables
  >;

export const DeleteUserDocument =
  "mutation DeleteUser($input:DeleteUserInput!){deleteUser(input:$input){deletedUserId}}" as Document<
    DeleteUserMutation,
    DeleteUserMutationVariables
  >;
