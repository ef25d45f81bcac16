/** Signals that stop a program, with the exit code by which a shell recognizes each. */
const SIGNALS = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const;

/**
 * Cleans up and exits when the program is stopped: by a signal, or because the reader of its output is gone, as
 * in `npm run demo | head`. Repeated signals change nothing: on Ctrl+C the terminal and npm send one each.
 * @param cleanUp is called once
 */
export function onInterruption(cleanUp: () => Promise<void>): void {
  let interrupted = false;
  const interrupt = (code: number) => {
    if (interrupted) return;
    interrupted = true;
    void cleanUp().finally(() => process.exit(code));
  };
  for (const [signal, code] of SIGNALS) process.on(signal, () => interrupt(code));
  process.stdout.on("error", () => interrupt(0));
}
