import { readConfig } from "../../src/core/config";
import { Lifecycle } from "../../src/core/lifecycle";
import { openLog } from "../../src/core/log";
import { openDomain } from "../../src/open-domain";
import { openPlatform } from "../../src/open-platform";

/**
 * Migrates the database of these variables and creates the job queues, as a node does with its first poll. The queues
 * take longer than all else of a node's start: a table with eight indexes each.
 */
export async function prepareDatabase(variables: Record<string, string>): Promise<void> {
  const log = openLog("silent");
  const lifecycle = new Lifecycle(log);
  try {
    const platform = await openPlatform(readConfig(variables), log, lifecycle, {});
    await openDomain(platform, lifecycle, () => "", {});
    // Any queue of a worker: they are created together.
    await platform.jobs.openQueues("purge");
  } finally {
    await lifecycle.close();
  }
}
