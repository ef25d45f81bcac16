import { openLog } from "../../src/core/log";
import { openEmbedded } from "../../src/store/embedded";

/**
 * A process of its own that opens the store on a data folder, writes an account and says `open` or
 * why not. It holds the folder until it is ended.
 */
async function main(folder: string): Promise<void> {
  const store = await openEmbedded(folder, openLog("silent"));
  await store.db.account.create({ data: { name: "a", accountKey: `of ${process.pid}` } });
  process.stdout.write("open\n");
  // Something has to keep the process.
  setInterval(() => {}, 60_000);
}

main(process.argv[2] ?? "").catch((error: unknown) => {
  process.stdout.write(`refused: ${String(error)}\n`);
});
