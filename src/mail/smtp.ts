import { isIP } from "node:net";
import { createTransport } from "nodemailer";
import { MailError, type Mailer, MailRefused } from "./mail";

const CONNECTIONS = 2;
/** Milliseconds to connect, to be greeted, and of silence. */
const TIMEOUTS = {
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 30_000,
};

/** nodemailer reads no file and no address for what is in a mail. */
export const SEALED = { disableFileAccess: true, disableUrlAccess: true };

/**
 * Sends by SMTP (RFC 5321), over connections that are kept for a while.
 * @param url smtp:// (with STARTTLS where it is offered; it must be where a password goes over a
 * network) or smtps://, with user and password percent-encoded
 * @param from the sender, an address with or without a name
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
      ...{ pool: true, maxConnections: CONNECTIONS, host, secure, auth },
      port: port === "" ? (secure ? 465 : 587) : Number(port),
      requireTLS: auth !== undefined && !isLoopback(host),
      ...TIMEOUTS,
      ...SEALED,
    },
    { from },
  );
  return {
    async send({ to, ...parts }) {
      try {
        // As an object, so that nothing in an address is read as a list or a name.
        await transport.sendMail({ ...parts, to: { name: "", address: to } });
      } catch (error) {
        throw failure(error);
      }
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

/** What is told of a failure: never the server's words, which repeat addresses. */
function codesOf(error: unknown): string {
  const { code, responseCode } = error as SmtpError;
  return `(${String(code ?? "no code")}, ${String(responseCode ?? "no answer")})`;
}

function failure(error: unknown): MailError {
  const { code, responseCode } = error as SmtpError;
  const text = `the SMTP server did not take it ${codesOf(error)}`;
  // A wrong password is the operator's to mend; an address that is refused, or is none, stays so.
  const refused = code === "EENVELOPE" || code === "EMESSAGE";
  return refused && (typeof responseCode !== "number" || responseCode >= 500)
    ? new MailRefused(text)
    : new MailError(text);
}
