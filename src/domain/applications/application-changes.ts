import { Fault } from "../../core/errors";
import type { Sealer } from "../../core/sealer";
import { checkWebUrl, textProblem } from "../../core/text/field-checks";
import type { Connector } from "../../platform/network/connector";
import type { PushEnvironment, PushSenders } from "../../platform/store/generated/enums";
import { type ApplicationSettings, sealSettings, unsealSettings } from "./settings";

/** Settings of one provider. Absent: unchanged; null or an empty text: cleared. */
type Values = Record<string, string | null | undefined>;

/** What an owner may change of an application. Absent: unchanged. */
export interface ApplicationChanges {
  name?: string | null;
  v1ListDisabled?: boolean | null;
  signUpOpen?: boolean | null;
  emailNeedsPassword?: boolean | null;
  pushSenders?: PushSenders | null;
  answeredElsewhere?: boolean | null;
  /** Maximum number of new calls of a user in a minute; null for that of the deployment. */
  newCallsPerMinute?: number | null;
  /** Whether a call sends a push notification to the devices of a recipient whom it does not reach. */
  incomingCallPush?: boolean | null;
  /** Time that connected devices have to accept before that, in seconds. */
  incomingCallPushDelaySeconds?: number | null;
  /** The push environment of these devices. */
  incomingCallPushEnvironment?: PushEnvironment | null;
  /** Whether devices that such a push woke get another push when the call stops ringing. */
  callEndPush?: boolean | null;
  /** Whether VoIP subscriptions get it as well. */
  callEndVoip?: boolean | null;
  /** Whether a missed call sends a push to the callee's devices. */
  missedCallPush?: boolean | null;
  /** Whether that push has the number of missed calls as the badge. */
  missedCallBadge?: boolean | null;
  /** Whether the first join of a legacy client creates the conference that it names. */
  conferencesOnJoin?: boolean | null;
  /** Whether the first session that a backend creates for a login or external id creates the user. */
  serverSessionsCreateUsers?: boolean | null;
  /** Where they create users, whether a login or external id also reaches a user who signed up without the backend. */
  serverSessionsReachSignedUpUsers?: boolean | null;
  /** Null or empty: any origin. */
  webOrigins?: string[] | null;
  /** Null refuses JWTs of the backend. */
  jwt?: object | null;
  /** Null disables sign-in through a provider. */
  facebook?: object | null;
  twitter?: object | null;
  firebase?: object | null;
}

/** The rules for the settings of a provider. */
interface ProviderRules {
  required: readonly string[];
  urls: readonly string[];
  /** The secret, and the settings that say where it is sent. */
  secret?: { name: string; sentTo: readonly string[] };
  /** Checks what depends on several settings. @returns the settings to keep; throws Fault INVALID */
  settle?(values: Values): Values;
}

const PROVIDERS: Readonly<Record<keyof ApplicationSettings, ProviderRules>> = {
  facebook: {
    required: ["appId", "appSecret"],
    urls: ["baseUrl"],
    secret: { name: "appSecret", sentTo: ["baseUrl", "version"] },
  },
  twitter: {
    required: ["consumerKey", "consumerSecret"],
    urls: ["baseUrl"],
    secret: { name: "consumerSecret", sentTo: ["baseUrl"] },
  },
  firebase: { required: ["projectId"], urls: ["keysUrl"] },
  jwt: { required: ["algorithm", "subject"], urls: ["jwksUrl"], settle: settleJwt },
};

/** Minimum length of the key of HS256, in bytes: that of its hash (RFC 7518 section 3.2). */
const JWT_SECRET_MIN = 32;

const ORIGINS_MAX = 100;
const VALUE_MAX = 1_000;
const CALL_PUSH_DELAY_MAX = 30;
/** Maximum of newCallsPerMinute: as many as RATE_MESSAGES_PER_USER allows signals by default. */
const NEW_CALLS_MAX = 6_000;

/** @throws Fault INVALID on incomingCallPushDelaySeconds unless it is 0 to 30 */
export function checkCallPushDelay(seconds: number | null | undefined): void {
  if (seconds === null || seconds === undefined) return;
  if (seconds < 0 || seconds > CALL_PUSH_DELAY_MAX) {
    throw Fault.field("incomingCallPushDelaySeconds", `must be from 0 to ${CALL_PUSH_DELAY_MAX}`);
  }
}

/** @throws Fault INVALID on newCallsPerMinute unless it is 1 to 6,000 */
export function checkNewCalls(calls: number | null | undefined): void {
  if (calls === null || calls === undefined) return;
  if (calls < 1 || calls > NEW_CALLS_MAX) {
    throw Fault.field("newCallsPerMinute", `must be from 1 to ${NEW_CALLS_MAX}`);
  }
}

/**
 * Checks web origins and removes duplicates. An origin has the form that browsers send (RFC 6454 section
 * 6.1): scheme, host, and the port unless it is the scheme's default.
 * @throws Fault INVALID on webOrigins
 */
export function checkWebOrigins(given: string[]): string[] {
  if (given.length > ORIGINS_MAX) {
    throw Fault.field("webOrigins", `are too many (maximum is ${ORIGINS_MAX})`);
  }
  const origins = given.map((text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    const origin = url !== null && /^https?:$/.test(url.protocol) ? url.origin : null;
    if (origin === null || origin !== text.toLowerCase()) {
      throw Fault.field(
        "webOrigins",
        "must be origins, such as https://app.example or http://host:8080",
      );
    }
    return origin;
  });
  return [...new Set(origins)];
}

/**
 * Merges changes to the providers into the settings of a row; the settings of other modules stay unchanged.
 * @returns the settings to store, with their secrets sealed
 * @throws Fault INVALID on the invalid setting, as `provider.setting`
 */
export function mergeProviderSettings(
  json: unknown,
  changes: ApplicationChanges,
  { sealer, connector }: { sealer: Sealer; connector: Connector },
): object {
  const stored = unsealSettings(json, sealer);
  const merged: Record<string, Values> = {};
  const cleared = new Set<string>();
  for (const group of Object.keys(PROVIDERS) as Array<keyof ApplicationSettings>) {
    const change = changes[group];
    // A provider without any given setting stays unchanged, configured or not.
    if (change === undefined || isEmpty(change)) continue;
    if (change === null) cleared.add(group);
    else merged[group] = mergeProvider(group, stored[group] ?? {}, change as Values, connector);
  }
  const sealed = sealSettings(unsealSettings(merged, sealer), sealer);
  const all = Object.entries({ ...(json as object), ...sealed });
  return Object.fromEntries(all.filter(([group]) => !cleared.has(group)));
}

function isEmpty(change: object | null): boolean {
  return change !== null && Object.values(change).every((value) => value === undefined);
}

function mergeProvider(
  group: keyof ApplicationSettings,
  stored: Values,
  change: Values,
  connector: Connector,
): Values {
  const { required, urls, secret, settle } = PROVIDERS[group];
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const values = Object.fromEntries(
    Object.entries({ ...stored, ...Object.fromEntries(given) }).filter(([, value]) => value),
  );
  for (const [field, value] of Object.entries(values)) {
    const problem = textProblem(value ?? "", VALUE_MAX);
    if (problem) throw Fault.field(`${group}.${field}`, problem);
  }
  for (const field of required) {
    if (!values[field]) throw Fault.field(`${group}.${field}`, "is required");
  }
  for (const field of urls) {
    if (values[field]) checkWebUrl(`${group}.${field}`, values[field]);
    // Checks new URLs only; the connector refuses a forbidden stored one on each request.
    const problem = change[field] ? connector.check(change[field]) : null;
    if (problem) throw Fault.field(`${group}.${field}`, problem);
  }
  // No member reads a stored secret, so none may have it sent to a place of their choice.
  const moved = secret?.sentTo.find((field) => change[field] && change[field] !== stored[field]);
  if (secret && moved && !change[secret.name]) {
    throw Fault.field(`${group}.${secret.name}`, `is required with a new ${moved}`);
  }
  return settle ? settle(values) : values;
}

/** Keeps only the key of the algorithm: a change between HS256 and the others drops the key. */
function settleJwt({ secret, jwksUrl, ...values }: Values): Values {
  if (values.algorithm !== "HS256") {
    if (!jwksUrl) throw Fault.field("jwt.jwksUrl", `is required for ${values.algorithm}`);
    return { ...values, jwksUrl };
  }
  if (!secret) throw Fault.field("jwt.secret", "is required for HS256");
  if (Buffer.byteLength(secret) < JWT_SECRET_MIN) {
    throw Fault.field("jwt.secret", `must be at least ${JWT_SECRET_MIN} bytes long`);
  }
  return { ...values, secret };
}
