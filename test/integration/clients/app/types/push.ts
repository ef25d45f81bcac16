import type { CreatePushEventInput, CreatePushMutation, PushMessageInput } from "../gql/graphql";
import { PushEnvironment } from "../gql/graphql";

/** Push messages: exactly one of notification and platform. */

const notification = { title: "Hello", data: { screen: "news" }, expiresAt: 1_900_000_000 };
const platform = { channel: "APNS", payload: { aps: { alert: "Hello" } } } as const;

export const good: PushMessageInput[] = [
  { notification },
  { notification: { ...notification, expiresAt: "2030-03-17T17:46:40Z", apple: { badge: 1 } } },
  { platform },
];

// @ts-expect-error is not assignable to type 'PushMessageInput'
export const none: PushMessageInput = {};
// @ts-expect-error is not assignable to type 'PushMessageInput'
export const two: PushMessageInput = { notification, platform };
// @ts-expect-error 'encoded' does not exist in type 'PushMessageInput'
export const ofRest: PushMessageInput = { encoded: { text: "e30=" } };
// @ts-expect-error 'null' is not assignable to type 'PushNotificationInput | undefined'
export const empty: PushMessageInput = { notification: null };
// @ts-expect-error 'subtitle' does not exist in type 'PushNotificationInput'
export const wrongPlace: PushMessageInput = { notification: { subtitle: "of Apple alone" } };
// @ts-expect-error 'Date' is not assignable to type
export const date: PushMessageInput = { notification: { expiresAt: new Date() } };
// @ts-expect-error 'string' is not assignable to type 'Record<string, unknown>'
export const text: PushMessageInput = { platform: { channel: "APNS", payload: "{}" } };

interface Screen {
  screen: string;
}
type Page = { page: number };
export const typed = (page: Page): PushMessageInput => ({ notification: { data: page } });
// @ts-expect-error Index signature for type 'string' is missing in type 'Screen'
export const screen = (data: Screen): PushMessageInput => ({ notification: { data } });

export const event: CreatePushEventInput = {
  environment: PushEnvironment.Production,
  userIds: ["1", 2],
  message: { notification },
};
// @ts-expect-error Property 'message' is missing
export const noMessage: CreatePushEventInput = { environment: "PRODUCTION" };

export function created({ createPushEvent: { events } }: CreatePushMutation): void {
  // @ts-expect-error is possibly 'undefined'
  events[0].id;
  const payloads: Array<Record<string, unknown>> = events.map(({ payload }) => payload);
  void payloads;
}
