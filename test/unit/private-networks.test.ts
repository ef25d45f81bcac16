import { checkUrl } from "../../src/platform/network/check-url";
import { guardedLookup } from "../../src/platform/network/lookup";
import { isPrivateAddress } from "../../src/platform/network/private-address";

describe("isPrivateAddress", () => {
  test.each([
    // IPv4: unspecified, loopback, private, shared, link-local with metadata, protocols, documentation
    "0.0.0.0",
    "0.1.2.3",
    "127.0.0.1",
    "127.255.255.254",
    "10.0.0.1",
    "10.255.255.255",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "100.127.255.255",
    "169.254.169.254",
    "169.254.0.1",
    "192.0.0.192",
    "192.0.2.1",
    "198.51.100.1",
    "203.0.113.9",
    "198.18.0.1",
    "198.19.255.255",
    "192.88.99.1",
    "168.63.129.16",
    "100.100.100.200",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    // IPv6: unspecified, loopback, compatible, mapped, translated, link-local, site-local, unique local
    "::",
    "::1",
    "::7f00:1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:7f00:1",
    "::ffff:8.8.8.8",
    "::ffff:0:127.0.0.1",
    "fe80::1",
    "fe80::1%eth0",
    "febf::1",
    "fec0::1",
    "fc00::1",
    "fd00:ec2::254",
    "fdff::1",
    "ff02::1",
    "ff0e::1",
    // NAT64 to private addresses, its local prefix, Teredo, 6to4, documentation, discard, segments
    "64:ff9b::127.0.0.1",
    "64:ff9b::a00:1",
    "64:ff9b::169.254.169.254",
    "64:ff9b:1::808:808",
    "2001::1",
    "2001:0:7f00:1::",
    "2002:7f00:1::",
    "2001:db8::1",
    "3fff::1",
    "100::1",
    "5f00::1",
    "2001:10::1",
    "4000::1",
    "0:0:0:0:0:0:0:1",
    "0000::0001",
    // Not an address
    "",
    "localhost",
    "1.2.3",
    "example.com",
    "1.2.3.4.5",
    "[::1]",
  ])("%s: yes", (address) => {
    expect(isPrivateAddress(address)).toBe(true);
  });

  test.each([
    "8.8.8.8",
    "1.1.1.1",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.1",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "168.63.129.17",
    "2606:4700::1111",
    "2a00:1450:4001::200a",
    "2001:4860:4860::8888",
    "2003::1",
    "64:ff9b::8.8.8.8",
    "64:ff9b::808:808",
    "3ffe::1",
  ])("%s: no", (address) => {
    expect(isPrivateAddress(address)).toBe(false);
  });
});

describe("checkUrl", () => {
  const PRIVATE = "must not lead into a private network";

  test.each([
    ["https://push.example.com/a/b?c=d", null],
    ["https://push.example.com:8443/a", null],
    ["https://8.8.8.8/", null],
    ["https://[2606:4700::1111]/", null],
    ["", "must be a URL that begins with https://"],
    ["push.example.com", "must be a URL that begins with https://"],
    ["https://", "must be a URL that begins with https://"],
    ["http://push.example.com/", "must be a URL that begins with https://"],
    ["ftp://push.example.com/", "must be a URL that begins with https://"],
    ["javascript:alert(1)", "must be a URL that begins with https://"],
    ["file:///etc/passwd", "must be a URL that begins with https://"],
    ["https://user@push.example.com/", "must be a URL without a user name"],
    ["https://:secret@push.example.com/", "must be a URL without a user name"],
    ["https://localhost/", PRIVATE],
    ["https://LOCALHOST./", PRIVATE],
    ["https://a.b.localhost/", PRIVATE],
    ["https://127.0.0.1/", PRIVATE],
    // Other spellings of loopback and private addresses.
    ["https://127.1/", PRIVATE],
    ["https://0x7f.0.0.1/", PRIVATE],
    ["https://0177.0.0.1/", PRIVATE],
    ["https://2130706433/", PRIVATE],
    ["https://127.0.0.1./", PRIVATE],
    ["https://①②⑦.0.0.1/", PRIVATE],
    ["https://0/", PRIVATE],
    ["https://10.0.0.5:9200/_search", PRIVATE],
    ["https://169.254.169.254/latest/meta-data", PRIVATE],
    ["https://[::1]/", PRIVATE],
    ["https://[::]/", PRIVATE],
    ["https://[::ffff:127.0.0.1]/", PRIVATE],
    ["https://[0:0:0:0:0:ffff:a00:1]/", PRIVATE],
    ["https://[fe80::1]/", PRIVATE],
    ["https://[fd00:ec2::254]/", PRIVATE],
    ["https://[64:ff9b::7f00:1]/", PRIVATE],
  ])("%s: %s", (url, answer) => {
    expect(checkUrl(url, false)).toBe(answer);
  });

  test.each([
    ["http://127.0.0.1:9000/push/1", null],
    ["https://localhost/", null],
    ["http://push.example.com/", null],
    ["ftp://localhost/", "must be a URL that begins with https://"],
    ["https://user@localhost/", "must be a URL without a user name"],
  ])("with private networks allowed, %s: %s", (url, answer) => {
    expect(checkUrl(url, true)).toBe(answer);
  });
});

describe("guardLookup", () => {
  const ask = (answers: Array<{ address: string; family: number }>, all: boolean) =>
    new Promise((resolve) => {
      guardedLookup(async () => answers, isPrivateAddress)(
        "name.example",
        { all },
        (error, address, family) =>
          resolve(error ? (error as NodeJS.ErrnoException).code : [address, family]),
      );
    });
  const ipv4 = { address: "8.8.8.8", family: 4 };
  const ipv6 = { address: "2606:4700::1111", family: 6 };
  const internal = { address: "10.0.0.1", family: 4 };

  test("returns public addresses, all of them or the first", async () => {
    expect(await ask([ipv4, ipv6], true)).toEqual([[ipv4, ipv6], undefined]);
    expect(await ask([ipv6, ipv4], false)).toEqual([ipv6.address, 6]);
  });

  test("fails if any address is private, or there is none", async () => {
    for (const all of [true, false]) {
      expect(await ask([internal], all)).toBe("ERR_PRIVATE_NETWORK");
      expect(await ask([ipv4, internal], all)).toBe("ERR_PRIVATE_NETWORK");
      expect(await ask([], all)).toBe("ERR_PRIVATE_NETWORK");
    }
  });

  test("passes on errors of the resolver", async () => {
    const failing = guardedLookup(async () => {
      throw Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
    }, isPrivateAddress);
    const code = await new Promise((resolve) =>
      failing("name.example", {}, (error) => resolve(error?.code)),
    );
    expect(code).toBe("ENOTFOUND");
  });
});
