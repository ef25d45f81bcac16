import type { Config } from "../../../core/config";
import { checkCertificate } from "./certificate";
import { checkChatServer } from "./chat-server";
import { checkConfiguration } from "./configuration";
import { checkDataFolder } from "./data-folder";
import { checkExposure } from "./exposure";
import { CHECK_ORDER, type CheckName, type Finding, withTimeout } from "./finding";
import { checkMail } from "./mail";
import { checkMediaServer } from "./media-server";
import { checkRedis } from "./redis";
import { checkTurn } from "./turn";

/** A check with its time-out in seconds, and the fix if it does not answer in time. */
export interface ServiceCheck {
  seconds: number;
  name: CheckName;
  fix: string;
  /** Whether it signs in to another server, which may lock out a client that does that often or with a wrong password. */
  signsIn?: true;
  run(config: Config): Promise<Finding[]>;
}

/** Runs a check, or returns what it found before. */
type RunCheck = (check: ServiceCheck, run: () => Promise<Finding[]>) => Promise<Finding[]>;

const CHECKS: readonly ServiceCheck[] = [
  { seconds: 5, name: "data folder", fix: "Check its disk.", run: checkDataFolder },
  { seconds: 5, name: "exposure", fix: "Correct BASE_URL.", run: checkExposure },
  { seconds: 8, name: "redis", fix: "Check its log.", run: checkRedis },
  { seconds: 5, name: "certificate", fix: "Check its disk.", run: checkCertificate },
  { seconds: 5, name: "chat server", fix: "Check its log.", run: checkChatServer },
  { seconds: 8, name: "media server", fix: "Check its log.", signsIn: true, run: checkMediaServer },
  { seconds: 5, name: "turn", fix: "Check its log.", signsIn: true, run: checkTurn },
  { seconds: 8, name: "mail", fix: "Correct SMTP_URL.", signsIn: true, run: checkMail },
];

/**
 * Runs the checks that a running node and the command line share, all at once and each with its own time-out. They
 * change nothing and send nothing to anybody: no mail, no relay, no push.
 * @param runCheck runs each of them; by default all run now
 */
export async function runServiceChecks(
  config: Config,
  runCheck: RunCheck = (_, run) => run(),
): Promise<Finding[]> {
  const groups = await Promise.all(
    CHECKS.map((check) => {
      const { seconds, name, fix, run } = check;
      return runCheck(check, () => withTimeout(seconds, name, fix, () => run(config)));
    }),
  );
  return [...checkConfiguration(config), ...groups.flat()];
}

/** Sorts findings into the order of {@link CHECK_ORDER}. */
export function inCheckOrder(findings: readonly Finding[]): Finding[] {
  const position = ({ check }: Finding) => CHECK_ORDER.indexOf(check);
  return [...findings].sort((a, b) => position(a) - position(b));
}
