import { isIP } from "node:net";
import { createTransport } from "nodemailer";
import { inSpan } from "../../core/tracing";
import { MailError, type Mailer, MailRejectedError } from "./mail";

/** Maximum number of connections. */
const CONNECTIONS = 2;
/** Timeouts in milliseconds. */
const TIMEOUTS = {
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 30_000,
};

/** Forbids nodemailer to read files or URLs that a mail refers to. */
export const CONTENT_ACCESS_DISABLED = { disableFileAccess: true, disableUrlAccess: true };

/**
 * Sends mail by SMTP (RFC 5321), over pooled connections.
 * @param url smtp:// (with STARTTLS if offered; required if a password is sent beyond loopback) or smtps://,
 * with user and password percent-encoded
 * @param from the sender, an address with or without a display name
 */
export function openSmtp(url: string, from: string): Mailer {
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === "smtps:";
  const host = hostname.replace(/^\[|\]$/g, "");
  const auth = username
    ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
    : undefined;
  const transport = createTransport(
    {
      pool: true,
      maxConnections: CONNECTIONS,
      host,
      secure,
      auth,
      port: port === "" ? (secure ? 465 : 587) : Number(port),
      requireTLS: auth !== undefined && !isLoopback(host),
      ...TIMEOUTS,
      ...CONTENT_ACCESS_DISABLED,
    },
    { from },
  );
  return {
    kind: "smtp",
    send({ to, ...parts }) {
      return inSpan("send mail", "client", { "server.address": host }, async () => {
        try {
          // As an object, so that nodemailer does not parse the address as a list or a display name.
          await transport.sendMail({ ...parts, to: { name: "", address: to } });
        } catch (error) {
          throw toMailError(error);
        }
      });
    },
    async check() {
      try {
        await transport.verify();
      } catch (error) {
        throw new MailError(`the SMTP server cannot be used ${codesOf(error)}`);
      }
    },
    async close() {
      transport.close();
    },
  };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

interface SmtpError {
  code?: unknown;
  responseCode?: unknown;
}

/** The codes of a failure. The server's text is omitted, since it repeats addresses. */
function codesOf(error: unknown): string {
  const { code, responseCode } = error as SmtpError;
  return `(${String(code ?? "no code")}, ${String(responseCode ?? "no answer")})`;
}

function toMailError(error: unknown): MailError {
  const { code, responseCode } = error as SmtpError;
  const text = `the SMTP server did not accept the mail ${codesOf(error)}`;
  // A rejected or invalid address is permanent; anything else, such as a wrong password, can be fixed.
  const refused = code === "EENVELOPE" || code === "EMESSAGE";
  return refused && (typeof responseCode !== "number" || responseCode >= 500)
    ? new MailRejectedError(text)
    : new MailError(text);
}
