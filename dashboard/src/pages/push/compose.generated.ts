// Generated from compose.graphql by npm run generate.
import type { Document } from "@signalbox/client";

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
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

/** A push that an application's owner sends. */
export type CreateApplicationPushEventInput = {
  /** The application whose users are notified. */
  applicationId: string | number;
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
  /** PUSH, the only type. */
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

/** A message in the form of REST's event[message]. */
export type EncodedPushMessageInput = {
  /** Channel of a platform-specific message; omit it for a message to all platforms. */
  channel?: PushChannel | null | undefined;
  /** For all platforms: a JSON object in Base64. For one: `payload=` followed by the platform's JSON in Base64. */
  text: string;
};

/** The payload of one platform, sent as it is. */
export type PlatformPayloadInput = {
  /** The channel. */
  channel: PushChannel;
  /** The platform's own JSON: with `aps` for Apple, a message of FCM's HTTP v1 API. */
  payload: Record<string, unknown>;
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

/** Recipients of a push to count. Exactly one of the five lists selects them. */
export type PushRecipientsInput = {
  /** The channel of a push for one platform; null for a push for all platforms. */
  channel?: PushChannel | null | undefined;
  /** Environment of the recipient devices. */
  environment: PushEnvironment;
  /** Up to 10,000 users by external id. */
  externalUserIds?: Array<string> | null | undefined;
  /** Users with all of these tags. */
  tagsAll?: Array<string> | null | undefined;
  /** Users with any of these tags. */
  tagsAny?: Array<string> | null | undefined;
  /** Users with none of these tags. */
  tagsExclude?: Array<string> | null | undefined;
  /** Up to 10,000 users by id. */
  userIds?: Array<string | number> | null | undefined;
  /** Whether a push for all platforms asks for VoIP pushes; false by default. */
  voip?: boolean | null | undefined;
};

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

export type PushRecipientsQueryVariables = Exact<{
  applicationId: string | number;
  recipients: PushRecipientsInput;
}>;


export type PushRecipientsQuery = { applicationPushRecipientCount: { deviceCount: number, userCount: number, isExact: boolean, channels: Array<{ channel: PushChannel, deviceCount: number }> } };

export type PreviewPushMutationVariables = Exact<{
  input: CreateApplicationPushEventInput;
}>;


export type PreviewPushMutation = { createApplicationPushEvent: { dryRun: { problems: Array<string>, channels: Array<{ channel: PushChannel, deviceCount: number, more: boolean, headers: Record<string, unknown>, payload: Record<string, unknown>, bytes: number, maxBytes: number, problems: Array<string>, sendable: boolean, display: { visible: boolean, title: string | null, subtitle: string | null, body: string | null, titleLocKey: string | null, bodyLocKey: string | null, badge: number | null, sound: string | null, imageUrl: string | null, icon: string | null } }> } | null } };

export type SendPushMutationVariables = Exact<{
  input: CreateApplicationPushEventInput;
  idempotencyKey: string;
}>;


export type SendPushMutation = { createApplicationPushEvent: { events: Array<{ id: string }> } };

export const PushRecipientsDocument =
  "query PushRecipients($applicationId:ID!$recipients:PushRecipientsInput!){applicationPushRecipientCount(applicationId:$applicationId recipients:$recipients){deviceCount userCount isExact channels{channel deviceCount}}}" as Document<
    PushRecipientsQuery,
    PushRecipientsQueryVariables
  >;

export const PreviewPushDocument =
  "mutation PreviewPush($input:CreateApplicationPushEventInput!){createApplicationPushEvent(input:$input dryRun:true){dryRun{problems channels{channel deviceCount more headers payload bytes maxBytes problems sendable display{visible title subtitle body titleLocKey bodyLocKey badge sound imageUrl icon}}}}}" as Document<
    PreviewPushMutation,
    PreviewPushMutationVariables
  >;

export const SendPushDocument =
  "mutation SendPush($input:CreateApplicationPushEventInput!$idempotencyKey:String!){createApplicationPushEvent(input:$input idempotencyKey:$idempotencyKey){events{id}}}" as Document<
    SendPushMutation,
    SendPushMutationVariables
  >;
