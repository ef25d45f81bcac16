import { PreAuthLimiter } from "../../src/platform/limits/pre-auth-limiter";

/** Limits on unauthenticated connections. */

function open(perNetwork: number, total: number) {
  const limiter = new PreAuthLimiter({ perNetwork, total });
  const ended: string[] = [];
  const enter = (ip: string | null, name = String(ip)) =>
    limiter.admit(ip, () => void ended.push(name));
  return { enter, ended };
}

test("each network has its own limit", () => {
  const { enter, ended } = open(2, 100);
  const first = enter("192.0.2.1");
  expect(enter("192.0.2.1")).not.toBeNull();
  expect(enter("192.0.2.1")).toBeNull();
  expect(enter("192.0.2.2")).not.toBeNull();
  first?.();
  // Leaving twice has no effect: once after authentication, once when the connection closes.
  first?.();
  expect(enter("192.0.2.1")).not.toBeNull();
  expect(enter("192.0.2.1")).toBeNull();
  expect(ended).toEqual([]);
});

test("IPv6 clients are limited per /64 network", () => {
  const { enter } = open(2, 100);
  expect(enter("2001:db8::1")).not.toBeNull();
  expect(enter("2001:db8::2")).not.toBeNull();
  expect(enter("2001:db8:0:0:ffff::3")).toBeNull();
  expect(enter("2001:db8:0:1::1")).not.toBeNull();
});

test("a shared address counts towards the total only", () => {
  const { enter } = open(1, 100);
  for (let count = 0; count < 10; count += 1) expect(enter(null)).not.toBeNull();
});

test("beyond the total the oldest connection is closed, and the new one is admitted", () => {
  const { enter, ended } = open(100, 3);
  const [a] = ["a", "b", "c"].map((name) => enter("192.0.2.1", name));
  expect(enter("192.0.2.2", "d")).not.toBeNull();
  expect(ended).toEqual(["a"]);
  a?.();
  enter(null, "e")?.();
  expect(ended).toEqual(["a", "b"]);
  expect(enter("192.0.2.3", "f")).not.toBeNull();
  expect(ended).toEqual(["a", "b"]);
});

test("an evicted connection no longer counts for its network", () => {
  const { enter } = open(1, 1);
  enter("192.0.2.1");
  enter("192.0.2.2");
  expect(enter("192.0.2.1")).not.toBeNull();
});
