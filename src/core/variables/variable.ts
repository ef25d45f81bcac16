import { isIP } from "node:net";
import { z } from "zod";

/** A whole number within bounds. */
export const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, "must be a whole number")
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be from ${min} to ${max}`);

/** A port to listen on, 0 for a free one; null for `off`. */
export const portOrOff = z
  .string()
  .regex(/^(\d{1,5}|off)$/i, "must be a port, or off")
  .transform((text) => (/^off$/i.test(text) ? null : Number(text)))
  .refine((port) => port === null || port <= 65_535, "must be from 0 to 65535, or off");

/** True or false, in the usual words. */
export const flag = z
  .string()
  .regex(/^(true|false|1|0|yes|no|on|off)$/i, "must be true or false")
  .transform((text) => /^(true|1|yes|on)$/i.test(text));

/** A URL of one of these protocols, each with its colon. */
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

/** One sender of mail, `name@host` or `Name <name@host>`; one line, so that it stays one header. */
export const sender = z
  .string()
  .refine(
    (text) => ADDRESS.test(text) || NAMED_ADDRESS.test(text),
    "must be name@host or Name <name@host>",
  );

/** Comma-separated text. */
export const list = z.string().transform((text) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean),
);

/** Levels of the log, gravest first. */
export const LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

/** An address, or a network as address and prefix length (RFC 4632 section 3.1). */
export function isNetwork(text: string): boolean {
  const [address = "", bits, more] = text.split("/");
  const longest = isIP(address) === 6 ? 128 : 32;
  const fits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= longest);
  return isIP(address) !== 0 && fits && more === undefined;
}

const ICE_URL =
  /^(?:stun|(turn))s?:(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?(\?transport=(?:udp|tcp))?$/i;

/** A STUN URI (RFC 7064 section 3.1) or a TURN URI (RFC 7065 section 3.1). */
export function isIceUrl(text: string): boolean {
  const [url, turn, transport] = ICE_URL.exec(text) ?? [];
  return url !== undefined && (turn !== undefined || transport === undefined);
}

/** A host name or an address. */
export const hostname = z.string().regex(/^[A-Za-z0-9._:-]+$/, "must be a host name or an address");

/** A host and a port, `chat.internal:5347` or `[::1]:5347`, in their parts. */
export const hostPort = z
  .string()
  .regex(/^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):\d{1,5}$/, "must be host:port")
  .transform((text) => {
    const colon = text.lastIndexOf(":");
    const host = text.slice(0, colon).replace(/^\[|\]$/g, "");
    return { host, port: Number(text.slice(colon + 1)) };
  })
  .refine(({ port }) => port >= 1 && port <= 65_535, "must have a port from 1 to 65535");

/** The 32 bytes of a key written in Base64 (either alphabet) or hexadecimal; null where it is none. */
export function keyBytes(text: string): Buffer | null {
  const hex = /^[0-9a-f]{64}$/i.test(text);
  if (!hex && !/^[\w+/-]{43}=?$/.test(text)) return null;
  const bytes = Buffer.from(text, hex ? "hex" : "base64");
  return bytes.length === 32 ? bytes : null;
}

/** One environment variable. */
export interface Variable {
  schema: z.ZodType<unknown, string>;
  /** Text of the default; absent where the variable may be left unset. */
  default?: string;
  about: string;
  /** Printed nowhere: not in the documents' examples, not in an error. */
  secret?: boolean;
  /** An older name, which is read where this one is not set. */
  formerly?: string;
}

/** Declares a variable; without a default it may be left unset. */
export const variable = <T, D extends string | undefined>(
  schema: z.ZodType<T, string>,
  fallback: D,
  about: string,
  secret = false,
) => ({ schema, default: fallback, about, secret });
