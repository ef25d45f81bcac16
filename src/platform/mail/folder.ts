import { access, chmod, constants, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createTransport } from "nodemailer";
import type { Clock } from "../../core/clock";
import type { Log } from "../../core/log";
import { newId } from "../../core/random";
import { MailError, type Mailer } from "./mail";
import { CONTENT_ACCESS_DISABLED } from "./smtp";

/** Maximum number of files; the oldest are deleted. */
const FILES_MAX = 200;

/** Options of {@link openMailFolder}. */
export interface MailFolderOptions {
  /** Target folder; created with mode 0700 if it is missing. */
  folder: string;
  /** The sender. */
  from: string;
  clock: Clock;
  log: Log;
}

/**
 * Writes each mail to a file (RFC 5322, mode 0600) instead of sending it, for evaluation. The log contains
 * the path of the file, but nothing of its content.
 */
export async function openMailFolder(parts: MailFolderOptions): Promise<Mailer> {
  const { folder, from, clock, log } = parts;
  const transport = createTransport(
    { streamTransport: true, buffer: true, newline: "windows", ...CONTENT_ACCESS_DISABLED },
    { from },
  );
  return {
    kind: "folder",
    async send({ to, subject, text, html }) {
      const { message } = await transport.sendMail({
        subject,
        to: { name: "", address: to },
        alternatives: [readablePart("text/plain", text), readablePart("text/html", html)],
      });
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await chmod(folder, 0o700);
      // File names sort by time; the id makes them unique within a millisecond.
      const time = new Date(clock.now()).toISOString().replace(/[-:.]/g, "");
      const file = join(folder, `${time}-${newId()}.eml`);
      await writeFile(file, message, { mode: 0o600, flag: "wx" });
      log.info({ file }, "wrote a mail to a file, since SMTP_URL is not set");
      await removeOldest(folder);
    },
    async check() {
      if (!(await isWritable(folder))) throw new MailError(`${folder} is not writable`);
    },
    async close() {
      transport.close();
    },
  };
}

/** A part of a mail in 8bit, since people read the file as it is: quoted-printable breaks links over lines. */
function readablePart(type: string, content: string): { raw: string } {
  const head = `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: 8bit`;
  return { raw: `${head}\r\n\r\n${content}` };
}

/** Whether a folder is writable or could be created. Does not create it. */
async function isWritable(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    return (await stat(folder)).isDirectory();
  } catch (error) {
    const parent = dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || parent === folder) return false;
    return isWritable(parent);
  }
}

async function removeOldest(folder: string): Promise<void> {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".eml")).sort();
  const excess = files.slice(0, Math.max(0, files.length - FILES_MAX));
  for (const name of excess) await rm(join(folder, name), { force: true });
}
