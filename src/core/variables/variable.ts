import { isIP } from "node:net";
import { z } from "zod";

/** An integer from `min` to `max`. */
export const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, "must be a whole number")
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be from ${min} to ${max}`);

/** A listening port: 0 for any free port, null for `off`. */
export const portOrOff = z
  .string()
  .regex(/^(\d{1,5}|off)$/i, "must be a port, or off")
  .transform((text) => (/^off$/i.test(text) ? null : Number(text)))
  .refine((port) => port === null || port <= 65_535, "must be from 0 to 65535, or off");

/** A boolean: true, false, 1, 0, yes, no, on or off. */
export const flag = z
  .string()
  .regex(/^(true|false|1|0|yes|no|on|off)$/i, "must be true or false")
  .transform((text) => /^(true|1|yes|on)$/i.test(text));

/** A URL with one of these protocols, each with its colon. */
export const url = (...protocols: string[]) =>
  z.string().refine(
    (text) => {
      try {
        return protocols.includes(new URL(text).protocol);
      } catch {
        return false;
      }
    },
    `must be a URL that begins with ${protocols.map((p) => `${p}//`).join(" or ")}`,
  );

const ADDRESS = /^[^\s<>@,;:"\0-\x1f\x7f-\x9f]+@[\w.-]+$/u;
const NAMED_ADDRESS =
  /^[^<>@,;:"\\\0-\x1f\x7f-\x9f\u2028\u2029]* <[^\s<>@,;:"\0-\x1f\x7f-\x9f]+@[\w.-]+>$/u;

/** A mail sender, `name@host` or `Name <name@host>`, without line breaks, which could inject a header. */
export const mailSender = z
  .string()
  .refine(
    (text) => ADDRESS.test(text) || NAMED_ADDRESS.test(text),
    "must be name@host or Name <name@host>",
  );

/** A comma-separated list. */
export const list = z.string().transform((text) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean),
);

/**
 * Whether a text is a web origin as browsers send it (RFC 6454 section 6.2): a scheme, a host, and the port
 * unless it is the scheme's default. Applications outside of browsers have schemes of their own.
 */
export function isWebOrigin(text: string): boolean {
  if (/^https?:/i.test(text)) return URL.canParse(text) && new URL(text).origin === text;
  return /^[a-z][a-z\d+.-]*:\/\/[^\s/?#]+$/.test(text);
}

/** Log levels, most severe first. */
export const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

/** Whether a text is an IP address, or a network in CIDR notation (RFC 4632 section 3.1). */
export function isNetwork(text: string): boolean {
  const [address = "", bits, more] = text.split("/");
  const maxBits = isIP(address) === 6 ? 128 : 32;
  const fits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits);
  return isIP(address) !== 0 && fits && more === undefined;
}

const ICE_URL =
  /^(?:stun|(turn))s?:(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?(\?transport=(?:udp|tcp))?$/i;

/** Whether a text is a STUN URI (RFC 7064 section 3.1) or a TURN URI (RFC 7065 section 3.1). */
export function isIceUrl(text: string): boolean {
  const [url, turn, transport] = ICE_URL.exec(text) ?? [];
  return url !== undefined && (turn !== undefined || transport === undefined);
}

/** A host name or an IP address. */
export const hostname = z.string().regex(/^[A-Za-z0-9._:-]+$/, "must be a host name or an address");

/** A host and a port, `chat.internal:5347` or `[::1]:5347`, parsed. */
export const hostPort = z
  .string()
  .regex(/^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):\d{1,5}$/, "must be host:port")
  .transform((text) => {
    const colon = text.lastIndexOf(":");
    const host = text.slice(0, colon).replace(/^\[|\]$/g, "");
    return { host, port: Number(text.slice(colon + 1)) };
  })
  .refine(({ port }) => port >= 1 && port <= 65_535, "must have a port from 1 to 65535");

/** Decodes a 32-byte key in Base64 (either alphabet) or hexadecimal; null if the text is not such a key. */
export function decodeKey(text: string): Buffer | null {
  const hex = /^[0-9a-f]{64}$/i.test(text);
  if (!hex && !/^[\w+/-]{43}=?$/.test(text)) return null;
  const bytes = Buffer.from(text, hex ? "hex" : "base64");
  return bytes.length === 32 ? bytes : null;
}

/** Definition of one environment variable. */
export interface Variable {
  schema: z.ZodType<unknown, string>;
  /** The default, as text; absent if the variable is optional. */
  default?: string;
  about: string;
  /**
   * Whether the value is secret: it is neither printed in error messages nor shown in examples, and a file may hold it
   * ({@link fileVariable}).
   */
  secret?: boolean;
  /** A former name, which is read if this one is not set. */
  formerly?: string;
}

/** The variable that names a file with the value of a secret variable. */
export const fileVariable = (secret: string) => `${secret}_FILE`;

/** Adds the former name of a variable, which is read if the current one is not set. */
export const renamed = <V extends Variable>(formerly: string, definition: V) => ({
  ...definition,
  formerly,
});

/** Defines a variable; without a default it is optional. */
export const variable = <T, D extends string | undefined>(
  schema: z.ZodType<T, string>,
  fallback: D,
  about: string,
  secret = false,
) => ({ schema, default: fallback, about, secret });
