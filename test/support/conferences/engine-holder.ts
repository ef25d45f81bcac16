import { openLog } from "../../../src/core/log";
import { openEmbeddedEngine } from "../../../src/domain/conferences/engine/embedded/embedded-engine";

/** A process that opens the embedded engine, sends the id of the SFU's process, and is then killed by a test. */

const ports = { regular: [Number(process.argv[2])], quarantine: [] };
const engine = openEmbeddedEngine(
  { ports, bindAddress: "127.0.0.1", log: openLog("silent") },
  () => {},
);
void engine
  .open({ room: "r-1", generation: 1, video: true, bitrate: 100_000 })
  .then(() => process.send?.(engine.pids[0]));
