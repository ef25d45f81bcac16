import { openLog } from "../../../src/core/log";
import { openEmbedded } from "../../../src/platform/store/embedded";

/**
 * A process that opens the store on a data folder, writes an account and prints `open`, or prints the reason
 * of the refusal. It holds the folder until it is stopped.
 */
async function main(folder: string): Promise<void> {
  const store = await openEmbedded({ folder, log: openLog("silent"), indexes: [] });
  await store.db.account.create({ data: { name: "a", accountKey: `of ${process.pid}` } });
  process.stdout.write("open\n");
  // Keeps the process alive.
  setInterval(() => {}, 60_000);
}

main(process.argv[2] ?? "").catch((error: unknown) => {
  process.stdout.write(`refused: ${String(error)}\n`);
});
