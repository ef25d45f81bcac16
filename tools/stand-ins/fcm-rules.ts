/** Schema of a field in an HTTP v1 message. */
type Schema =
  | "text"
  | "texts"
  | "flag"
  | "number"
  | "data"
  | "duration"
  | "any"
  | readonly string[]
  | { [field: string]: Schema };

const ANDROID_NOTIFICATION: Schema = {
  title: "text",
  body: "text",
  icon: "text",
  color: "text",
  sound: "text",
  tag: "text",
  click_action: "text",
  body_loc_key: "text",
  body_loc_args: "texts",
  title_loc_key: "text",
  title_loc_args: "texts",
  channel_id: "text",
  ticker: "text",
  sticky: "flag",
  event_time: "text",
  local_only: "flag",
  notification_priority: "text",
  default_sound: "flag",
  default_vibrate_timings: "flag",
  default_light_settings: "flag",
  vibrate_timings: "texts",
  visibility: "text",
  notification_count: "number",
  light_settings: "any",
  image: "text",
};

/** Firebase's `Message`, as far as it concerns Android. */
const MESSAGE: Schema = {
  name: "text",
  token: "text",
  topic: "text",
  condition: "text",
  data: "data",
  notification: { title: "text", body: "text", image: "text" },
  android: {
    collapse_key: "text",
    priority: ["normal", "high", "NORMAL", "HIGH"],
    ttl: "duration",
    restricted_package_name: "text",
    data: "data",
    notification: ANDROID_NOTIFICATION,
    fcm_options: { analytics_label: "text" },
    direct_boot_ok: "flag",
  },
  webpush: "any",
  apns: "any",
  fcm_options: { analytics_label: "text" },
};

/** Maximum size of data and notification in bytes. */
const SIZE_MAX = 4096;

/** A problem with a field of a message. */
export interface Violation {
  field: string;
  description: string;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Converts camel case to snake case; protobuf's JSON accepts both. */
const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const IS: Record<string, (value: unknown) => boolean> = {
  text: (value) => typeof value === "string",
  texts: (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
  flag: (value) => typeof value === "boolean",
  number: (value) => Number.isInteger(value),
  data: (value) =>
    isObject(value) && Object.values(value).every((each) => typeof each === "string"),
  duration: (value) => typeof value === "string" && /^\d+(\.\d{1,9})?s$/.test(value),
  any: isObject,
};

function validate(value: unknown, schema: Schema, field: string): Violation | null {
  if (typeof schema === "string") {
    const description = `Invalid value at '${field}': ${schema}`;
    return IS[schema]!(value) ? null : { field, description };
  }
  if (Array.isArray(schema)) {
    const description = `Invalid value at '${field}': one of ${schema.join(", ")}`;
    return schema.includes(value) ? null : { field, description };
  }
  if (!isObject(value)) return { field, description: `Invalid value at '${field}': an object` };
  for (const [name, each] of Object.entries(value)) {
    const nested = (schema as Record<string, Schema>)[snake(name)];
    if (nested === undefined) {
      return { field, description: `Invalid JSON payload received. Unknown name "${name}"` };
    }
    const violation = validate(each, nested, `${field}.${name}`);
    if (violation) return violation;
  }
  return null;
}

const RESERVED = /^(from|message_type|google\..*|gcm\..*)$/;

/** Validates a message against the HTTP v1 reference ("REST Resource: projects.messages"). */
export function validateMessage(message: unknown): Violation | null {
  const violation = validate(message, MESSAGE, "message");
  if (violation) return violation;
  const { token, topic, condition, data, notification, android } = message as {
    [name: string]: unknown;
    data?: Record<string, string>;
    android?: { data?: Record<string, string> };
  };
  if ([token, topic, condition].filter((each) => each !== undefined).length !== 1) {
    return {
      field: "message",
      description: "Exactly one of token, topic or condition is required",
    };
  }
  const key = Object.keys({ ...data, ...android?.data }).find((name) => RESERVED.test(name));
  if (key !== undefined) {
    return { field: "message.data", description: `Invalid data payload key: ${key}` };
  }
  if (Buffer.byteLength(JSON.stringify({ data, notification })) > SIZE_MAX) {
    return { field: "message", description: "Android message is too big" };
  }
  if (token !== undefined && !/^[\w:-]{10,4096}$/.test(String(token))) {
    const description = "The registration token is not a valid FCM registration token";
    return { field: "message.token", description };
  }
  return null;
}
