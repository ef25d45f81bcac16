/**
 * Loaded into each node before its own code: measures how long its event loop stands, and its memory
 * after a garbage collection, when the driver asks. Names are looked up on this machine alone, so that
 * no input reaches a service elsewhere.
 */
import dns from "node:dns";
import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** What a node answers. */
export interface Measures {
  /** Bytes of the heap and of buffers in use after a garbage collection. */
  memory: number;
  /** Longest time between two turns of the event loop, in milliseconds of the clock. */
  stalledMs: number;
  /** The same, where the process was computing: what a busy machine does not lengthen. */
  busyMs: number;
}

const TICK_MS = 20;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

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
  // The collection itself is no stall of the service.
  [time, usage] = [performance.now(), process.cpuUsage()];
  process.send?.({ ...measures, memory: heapUsed + arrayBuffers });
});
process.channel?.unref();

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
// Addresses that owners and devices name are looked up at the name servers themselves (src/network).
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
