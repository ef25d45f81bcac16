/**
 * Preloaded into each node. Measures event loop delays, and memory after a garbage collection, on request of
 * the driver. Name look-ups fail for everything but this machine, so that no input reaches an external
 * service.
 */
import dns from "node:dns";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Measurements of a node. */
export interface Measurements {
  /** Bytes of heap and buffers in use after a garbage collection. */
  memory: number;
  /** Longest event loop delay, in milliseconds of wall-clock time. */
  stalledMs: number;
  /** Longest event loop delay in milliseconds of CPU time, which a busy machine does not increase. */
  busyMs: number;
}

const TICK_MS = 20;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Measures this process, and answers the driver. */
function probe(): void {
  const longest = { stalledMs: 0, busyMs: 0 };
  let [time, usage] = [performance.now(), process.cpuUsage()];
  setInterval(() => {
    const [now, { user, system }] = [performance.now(), process.cpuUsage()];
    const stalled = now - time - TICK_MS;
    const computed = (user + system - usage.user - usage.system) / 1000;
    longest.stalledMs = Math.max(longest.stalledMs, stalled);
    longest.busyMs = Math.max(longest.busyMs, Math.min(stalled, computed));
    [time, usage] = [now, { user, system }];
  }, TICK_MS).unref();

  process.on("message", () => {
    const measures = { ...longest };
    [longest.stalledMs, longest.busyMs] = [0, 0];
    collect();
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    // Do not count the collection itself.
    [time, usage] = [performance.now(), process.cpuUsage()];
    process.send?.({ ...measures, memory: heapUsed + arrayBuffers });
  });
  process.channel?.unref();
}

// The process of the media server inherits the option, but its messages are those of the node.
if (!process.argv[1]?.endsWith(join("sfu", "main.js"))) probe();

const isLocal = (name: string) => name === "localhost" || /^127\.|^::1$/.test(name);
const refuse = (name: string) =>
  Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: "ENOTFOUND", hostname: name });
const { lookup } = dns;
const { lookup: lookupAsync } = dns.promises;

Object.assign(dns, {
  lookup(name: string, ...rest: unknown[]) {
    const done = rest.at(-1) as (error: Error) => void;
    if (isLocal(name)) return Reflect.apply(lookup, dns, [name, ...rest]);
    process.nextTick(done, refuse(name));
  },
});
// src/platform/network resolves the addresses that owners and devices provide by Resolver.
const unknown = async (name: string) => {
  throw refuse(name);
};
Object.assign(dns.promises.Resolver.prototype, { resolve4: unknown, resolve6: unknown });
Object.assign(dns.promises, {
  async lookup(name: string, ...rest: unknown[]) {
    if (!isLocal(name)) throw refuse(name);
    return Reflect.apply(lookupAsync, dns.promises, [name, ...rest]);
  },
});
