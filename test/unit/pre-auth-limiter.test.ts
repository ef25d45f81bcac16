import { PreAuthLimiter } from "../../src/limits/pre-auth-limiter";

/** How many connections may stand unauthenticated. */

function open(perNetwork: number, inAll: number) {
  const doorstep = new PreAuthLimiter({ perNetwork, inAll });
  const ended: string[] = [];
  const enter = (ip: string | null, name = String(ip)) =>
    doorstep.enter(ip, () => void ended.push(name));
  return { enter, ended };
}

test("one network has so many, and others theirs", () => {
  const { enter, ended } = open(2, 100);
  const first = enter("192.0.2.1");
  expect(enter("192.0.2.1")).not.toBeNull();
  expect(enter("192.0.2.1")).toBeNull();
  expect(enter("192.0.2.2")).not.toBeNull();
  first?.();
  // Who has signed in is gone from here when its connection closes.
  first?.();
  expect(enter("192.0.2.1")).not.toBeNull();
  expect(enter("192.0.2.1")).toBeNull();
  expect(ended).toEqual([]);
});

test("an IPv6 client has its network of 64 bits", () => {
  const { enter } = open(2, 100);
  expect(enter("2001:db8::1")).not.toBeNull();
  expect(enter("2001:db8::2")).not.toBeNull();
  expect(enter("2001:db8:0:0:ffff::3")).toBeNull();
  expect(enter("2001:db8:0:1::1")).not.toBeNull();
});

test("an address that many share counts in all alone", () => {
  const { enter } = open(1, 100);
  for (let count = 0; count < 10; count += 1) expect(enter(null)).not.toBeNull();
});

test("with too many in all the longest waiting is ended, and whoever comes is let in", () => {
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

test("who was ended frees its network's place", () => {
  const { enter } = open(1, 1);
  enter("192.0.2.1");
  enter("192.0.2.2");
  expect(enter("192.0.2.1")).not.toBeNull();
});
