import { GraphQLJSONObject } from "graphql-scalars";
import { Field, InputType, Int, ObjectType } from "type-graphql";
import type { JsonObject } from "../../../core/json";

const DATA =
  "Keys for the app. They arrive beside `aps` on Apple's platforms, as texts in `data` on Android, in `data` in browsers.";
const TEXT = { nullable: true } as const;

/** Notifications are sent and read with the same fields; each class is an input and an object of the schema. */

/** What every platform shows or passes to the app. */
@InputType()
@ObjectType()
abstract class NotificationContentObject {
  @Field(() => String, { ...TEXT, description: "The title." })
  title?: string | null;

  @Field(() => String, { ...TEXT, description: "The text." })
  body?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "Number on the app's icon. Browsers receive it as `appBadge`.",
  })
  badge?: number | null;

  @Field(() => GraphQLJSONObject, { nullable: true, description: DATA })
  data?: JsonObject | null;
}

@InputType("AppleNotificationInput", {
  description: "What a notification has on Apple's platforms in place of its shared content.",
})
@ObjectType("AppleNotification", {
  description: "What a notification has on Apple's platforms in place of its shared content.",
  simpleResolvers: true,
})
export class AppleNotificationObject extends NotificationContentObject {
  @Field(() => String, { ...TEXT, description: "A line below the title." })
  subtitle?: string | null;

  @Field(() => String, { ...TEXT, description: "`default`, or a sound file of the app." })
  sound?: string | null;

  @Field(() => String, { ...TEXT, description: "Category, which selects the actions." })
  category?: string | null;

  @Field(() => String, { ...TEXT, description: "Groups notifications." })
  threadId?: string | null;

  @Field(() => String, { ...TEXT, description: "Key of the title in the app's localization." })
  titleLocKey?: string | null;

  @Field(() => [String], { nullable: true, description: "Arguments of the localized title." })
  titleLocArgs?: string[] | null;

  @Field(() => String, { ...TEXT, description: "Key of the text in the app's localization." })
  bodyLocKey?: string | null;

  @Field(() => [String], { nullable: true, description: "Arguments of the localized text." })
  bodyLocArgs?: string[] | null;

  @Field(() => Boolean, { nullable: true, description: "Wakes the app in the background." })
  contentAvailable?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Passes the notification to the app's service extension first.",
  })
  mutableContent?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "A VoIP push to users with a VoIP subscription, a standard push to others.",
  })
  voip?: boolean | null;
}

@InputType("AndroidNotificationInput", {
  description: "What a notification has on Android in place of its shared content.",
})
@ObjectType("AndroidNotification", {
  description: "What a notification has on Android in place of its shared content.",
  simpleResolvers: true,
})
export class AndroidNotificationObject extends NotificationContentObject {
  @Field(() => String, { ...TEXT, description: "`default`, or a sound resource of the app." })
  sound?: string | null;

  @Field(() => String, { ...TEXT, description: "Notification channel of the app." })
  channelId?: string | null;

  @Field(() => String, { ...TEXT, description: "Icon resource of the app." })
  icon?: string | null;

  @Field(() => String, { ...TEXT, description: "Colour of the icon, as #rrggbb." })
  color?: string | null;

  @Field(() => String, { ...TEXT, description: "URL of a picture." })
  imageUrl?: string | null;

  @Field(() => String, { ...TEXT, description: "Replaces a notification with the same tag." })
  tag?: string | null;

  @Field(() => String, { ...TEXT, description: "Intent of the activity to open." })
  clickAction?: string | null;
}

@InputType("WebNotificationInput", {
  description: "What a notification has in browsers in place of its shared content.",
})
@ObjectType("WebNotification", {
  description: "What a notification has in browsers in place of its shared content.",
  simpleResolvers: true,
})
export class WebNotificationObject extends NotificationContentObject {
  @Field(() => String, { ...TEXT, description: "URL of an icon." })
  icon?: string | null;

  @Field(() => String, { ...TEXT, description: "URL of a picture." })
  imageUrl?: string | null;

  @Field(() => String, { ...TEXT, description: "Replaces a notification with the same tag." })
  tag?: string | null;
}

@InputType("PushNotificationInput", {
  description: "A notification for all platforms, with content of its own for some.",
})
@ObjectType("PushNotification", {
  description: "A notification for all platforms, with content of its own for some.",
  simpleResolvers: true,
})
export class PushNotificationObject extends NotificationContentObject {
  @Field(() => String, {
    ...TEXT,
    description: "`default`, or a sound of the app, on Apple's platforms and Android.",
  })
  sound?: string | null;

  @Field(() => Date, { nullable: true, description: "When push services may discard it." })
  expiresAt?: Date | null;

  @Field(() => AppleNotificationObject, { nullable: true, description: "Apple's platforms." })
  apple?: AppleNotificationObject | null;

  @Field(() => AndroidNotificationObject, { nullable: true, description: "Android." })
  android?: AndroidNotificationObject | null;

  @Field(() => WebNotificationObject, { nullable: true, description: "Browsers." })
  web?: WebNotificationObject | null;
}
