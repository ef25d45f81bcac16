import { Fault } from "../../core/errors";
import type { Sealer } from "../../core/sealer";
import type { Connector } from "../../network/connector";
import type { PushEnvironment, PushSenders } from "../../store/generated/enums";
import { checkWebUrl } from "../account/accounts";
import { textProblem } from "../user/user-fields";
import { type ApplicationSettings, readSettings, writeSettings } from "./settings";

/** Values of one provider: absent stays, null or an empty text is cleared. */
type Values = Record<string, string | null | undefined>;

/** What an owner may change of an application. Absent: unchanged. */
export interface ApplicationChanges {
  name?: string | null;
  v1ListDisabled?: boolean | null;
  signUpOpen?: boolean | null;
  emailNeedsPassword?: boolean | null;
  pushSenders?: PushSenders | null;
  answeredElsewhere?: boolean | null;
  /** Whether a call may wake the devices of whoever it does not reach. */
  wakePhones?: boolean | null;
  /** Seconds that connected devices are given to accept before that. */
  wakeAfterSeconds?: number | null;
  /** The environment of the devices that are woken. */
  wakeEnvironment?: PushEnvironment | null;
  /** Null or none: any origin. */
  webOrigins?: string[] | null;
  /** Null: no sign-in through it, here and below. */
  facebook?: object | null;
  twitter?: object | null;
  firebase?: object | null;
}

/** What a provider cannot do without, and which of its values are addresses. */
const PROVIDERS = {
  facebook: { needed: ["appId", "appSecret"], urls: ["baseUrl"] },
  twitter: { needed: ["consumerKey", "consumerSecret"], urls: ["baseUrl"] },
  firebase: { needed: ["projectId"], urls: ["keysUrl"] },
} as const satisfies Record<keyof ApplicationSettings, object>;

const ORIGINS_MAX = 100;
const VALUE_MAX = 1_000;
const WAKE_AFTER_MAX = 30;

/** @throws Fault INVALID on wakeAfterSeconds that are not 0 to 30 */
export function checkWakeAfter(seconds: number | null | undefined): void {
  if (seconds === null || seconds === undefined) return;
  if (seconds < 0 || seconds > WAKE_AFTER_MAX) {
    throw Fault.field("wakeAfterSeconds", `must be from 0 to ${WAKE_AFTER_MAX}`);
  }
}

/**
 * A list of web origins as browsers write them (RFC 6454 section 6.1): scheme, host, and a port that
 * is not the scheme's own.
 * @throws Fault INVALID on webOrigins
 */
export function checkOrigins(given: string[]): string[] {
  if (given.length > ORIGINS_MAX) {
    throw Fault.field("webOrigins", `are too many (maximum is ${ORIGINS_MAX})`);
  }
  const origins = given.map((text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    const origin = url !== null && /^https?:$/.test(url.protocol) ? url.origin : null;
    if (origin === null || origin !== text.toLowerCase()) {
      throw Fault.field(
        "webOrigins",
        "must be origins, as https://app.example or http://host:8080",
      );
    }
    return origin;
  });
  return [...new Set(origins)];
}

/**
 * The settings of a row with what is changed of the providers; what other rooms keep there stays.
 * @throws Fault INVALID on the provider, or on the value, that is wrong
 */
export function mergeSettings(
  json: unknown,
  changes: ApplicationChanges,
  { sealer, connector }: { sealer: Sealer; connector: Connector },
): object {
  const stored = readSettings(json, sealer);
  const merged: Record<string, Values> = {};
  const cleared = new Set<string>();
  for (const group of Object.keys(PROVIDERS) as Array<keyof typeof PROVIDERS>) {
    const change = changes[group];
    // A provider of which everything is left out stays as it is, set up or not.
    if (change === undefined || isEmpty(change)) continue;
    if (change === null) cleared.add(group);
    else merged[group] = mergeProvider(group, stored[group] ?? {}, change as Values, connector);
  }
  const sealed = writeSettings(readSettings(merged, sealer), sealer);
  const all = Object.entries({ ...(json as object), ...sealed });
  return Object.fromEntries(all.filter(([group]) => !cleared.has(group)));
}

function isEmpty(change: object | null): boolean {
  return change !== null && Object.values(change).every((value) => value === undefined);
}

function mergeProvider(
  group: keyof typeof PROVIDERS,
  stored: Values,
  change: Values,
  connector: Connector,
): Values {
  const { needed, urls } = PROVIDERS[group];
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const values = Object.fromEntries(
    Object.entries({ ...stored, ...Object.fromEntries(given) }).filter(([, value]) => value),
  );
  for (const [field, value] of Object.entries(values)) {
    const problem = textProblem(value ?? "", VALUE_MAX);
    if (problem) throw Fault.field(`${group}.${field}`, problem);
  }
  for (const field of needed) {
    if (!values[field]) throw Fault.field(`${group}.${field}`, "is required");
  }
  for (const field of urls) {
    if (values[field]) checkWebUrl(`${group}.${field}`, values[field]);
    // One that was stored before stays, and is refused when it is asked.
    const wrong = change[field] ? connector.check(change[field]) : null;
    if (wrong) throw Fault.field(`${group}.${field}`, wrong);
  }
  return values;
}
