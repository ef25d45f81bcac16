import type { Environment } from "./env-file";
import { nearestWord } from "./variables/edit-distance";
import { fileVariable, type Variable } from "./variables/variable";
import { VARIABLES } from "./variables/variables";

/** A variable that is no setting, but is probably meant as one. */
export interface UnknownVariable {
  given: string;
  /** The setting that it resembles; null if it only begins like settings. */
  meant: string | null;
}

/** Maximum number of letters in which a misspelled variable differs from a setting. */
const MISSPELLED_LETTERS = 2;
/** Beginnings of settings that few other programs use. */
const PREFIXES = [
  "CHAT_",
  "CONFERENCE_",
  "FAILED_SIGN_INS_",
  "JANUS_",
  "RATE_",
  "RTC_",
  "SIGNALBOX_",
  "TURN_",
  "XMPP_",
];
/**
 * Variables of other programs that resemble a setting: common ones (SSL_CERT_FILE is OpenSSL's), and those of the demos,
 * the documents and the examples.
 */
const FOREIGN = new Set([
  "BOOT",
  "COST",
  "DATABASE_PORT",
  "DEST",
  "HOME",
  "LOST",
  "OS",
  "PGHOST",
  "PGPORT",
  "POST",
  "ROOT",
  "SORT",
  "SSL_CERT_FILE",
  "SSL_KEY_FILE",
  "TEST",
  "CONFERENCE_PAGE_PORT",
  "SIGNALBOX_API_KEY",
  "SIGNALBOX_APPLICATION_ID",
  "SIGNALBOX_AUTH_KEY",
  "SIGNALBOX_AUTH_SECRET",
  "SIGNALBOX_CREDENTIALS",
]);
/** Finds variables that are no settings, but differ from one in at most two letters, or begin like one. */
export function findUnknownVariables(environment: Environment): UnknownVariable[] {
  const variables = Object.entries<Variable>(VARIABLES);
  const names = variables.flatMap(([name, { secret }]) =>
    secret ? [name, fileVariable(name)] : [name],
  );
  const known = new Set([...names, ...variables.map(([, { formerly }]) => formerly)]);
  return Object.entries(environment).flatMap(([given, value]) => {
    const letters = given.toUpperCase();
    if (!value || known.has(given) || FOREIGN.has(letters)) return [];
    if (isServiceLink(letters, value)) return [];
    const meant = nearestWord(letters, names, MISSPELLED_LETTERS) ?? null;
    const isOurs = meant !== null || PREFIXES.some((prefix) => letters.startsWith(prefix));
    return isOurs ? [{ given, meant }] : [];
  });
}

/**
 * Whether Kubernetes or Docker has set a variable for a service with a name like `chat`: CHAT_SERVICE_HOST,
 * CHAT_PORT=tcp://10.0.0.1:5222, CHAT_PORT_5222_TCP_ADDR.
 */
function isServiceLink(name: string, value: string): boolean {
  const isOfService = name.includes("_SERVICE_HOST") || name.includes("_SERVICE_PORT");
  return isOfService || /_PORT_\d{1,5}_(?:TCP|UDP)/.test(name) || SERVICE_ADDRESS.test(value);
}

/** What Kubernetes and Docker set NAME_PORT to, for a service that is called like a part of our ports: `rtc`. */
const SERVICE_ADDRESS = /^(?:tcp|udp):\/\//;

/** Whether the value of a setting for a port is the address of a service, which counts as unset. */
export function isServiceAddress(name: string, value: string | undefined): boolean {
  return name.endsWith("PORT") && value !== undefined && SERVICE_ADDRESS.test(value);
}

/** What to tell the operator of an unknown variable, as a clause. */
export function describeUnknown({ given, meant }: UnknownVariable): string {
  const question = meant === null ? "" : `; did you mean ${meant}?`;
  return `${given} is not a setting of Signalbox${question}`;
}
