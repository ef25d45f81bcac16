import { EventEmitter, once } from "node:events";
import { readdir, readFile, stat } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer } from "smtp-server";

/** A received mail. */
export interface ReceivedMail {
  /** Recipients of the envelope. */
  recipients: string[];
  sender: string;
  raw: string;
  parsed: Email;
}

/** An SMTP server for a test. */
export interface TestSmtp {
  url: string;
  mails: ReceivedMail[];
  /** Number of connections so far. */
  connections(): number;
  /** Refuses the next RCPT commands with a code. */
  refuse(code: number, times: number): void;
  /** Waits for a number of mails to an address. */
  mailsTo(address: string, count?: number): Promise<ReceivedMail[]>;
  close(): Promise<void>;
}

/** Starts an SMTP server, which accepts all mail; on a free port by default. */
export async function startSmtp(port = 0): Promise<TestSmtp> {
  const mails: ReceivedMail[] = [];
  const arrivals = new EventEmitter();
  const refusals: number[] = [];
  let connections = 0;
  const server = new SMTPServer({
    onConnect(_session, done) {
      connections += 1;
      done();
    },
    // No client would trust its self-signed certificate.
    disabledCommands: ["STARTTLS", "AUTH"],
    onRcptTo(_address, _session, done) {
      const code = refusals.shift();
      done(code === undefined ? null : Object.assign(new Error("no"), { responseCode: code }));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const raw = Buffer.concat(chunks).toString("utf8");
        void PostalMime.parse(raw).then((parsed) => {
          const { mailFrom, rcptTo } = session.envelope;
          mails.push({
            recipients: rcptTo.map(({ address }) => address),
            sender: mailFrom ? mailFrom.address : "",
            raw,
            parsed,
          });
          done();
          arrivals.emit("mail");
        });
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const bound = (server.server.address() as AddressInfo).port;
  return {
    url: `smtp://127.0.0.1:${bound}`,
    mails,
    connections: () => connections,
    refuse: (code, times) => refusals.push(...Array.from({ length: times }, () => code)),
    async mailsTo(address, count = 1) {
      for (;;) {
        const found = mails.filter(({ recipients }) => recipients.includes(address));
        if (found.length >= count) return found;
        await once(arrivals, "mail");
      }
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Mails that a node without SMTP wrote into its data folder, oldest first. */
export async function writtenMails(
  dataDir: string,
): Promise<Array<{ file: string; mode: number; parsed: Email }>> {
  const folder = join(dataDir, "mail");
  const names = await readdir(folder).catch(() => []);
  return Promise.all(
    names.sort().map(async (name) => {
      const file = join(folder, name);
      const { mode } = await stat(file);
      return { file, mode: mode & 0o777, parsed: await PostalMime.parse(await readFile(file)) };
    }),
  );
}

/** The token in a mail's reset link. */
export function tokenIn(mail: Pick<Email, "text">): string {
  const token = /\/password\/reset\?token=([\w-]{43})\b/.exec(mail.text ?? "")?.[1];
  if (!token) throw new Error(`no link in ${mail.text}`);
  return token;
}
