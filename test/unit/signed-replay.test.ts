import { createHmac } from "node:crypto";
import fc from "fast-check";
import { Fault } from "../../src/core/errors";
import type { SessionDeps } from "../../src/domain/sessions/session-deps";
import { verifySignedRequest } from "../../src/domain/sessions/verify-signature";
import { compileBind } from "../../src/transports/rest/bind";
import { readBody } from "../../src/transports/rest/body";
import { readDocuments } from "../../src/transports/rest/documents";
import { readQuery } from "../../src/transports/rest/form";
import { FILES, sampleSchema } from "../support/rest/rest-sample";

/**
 * A captured signature cannot be used for another request: every request that verifies with it has the
 * captured application, key, timestamp and nonce, and these are already consumed.
 */

const SEED = 20121126;
const RUNS = 10_000;
const LATER = 1_953_966_601;
const FORM = "application/x-www-form-urlencoded";

const APPLICATIONS = [
  { id: 774, key: "aY7WwSRmu2-GbfA", secret: "auth_secret_example_1" },
  { id: 775, key: "another-key", secret: "another secret" },
];

type Pairs = Array<[name: string, text: string]>;

const bind = compileBind(
  readDocuments(FILES, sampleSchema()).find(({ name }) => name === "CreateSession")!,
);

/** The application, timestamp and nonce that a request consumes; null when it does not verify. */
async function verified(
  request: { type: string; body: string; query: string },
  now: number,
): Promise<unknown> {
  const consumed: unknown[] = [];
  const deps = {
    clock: { now: () => now * 1000 },
    sealer: { open: (text: string) => text },
    store: {
      query: async ({ name }: { name: string }, values: unknown[]) => {
        if (name === "consume_nonce") return [consumed.push(...values)];
        return APPLICATIONS.filter(({ id }) => id === values[0]).map(({ id, key, secret }) => ({
          id,
          auth_key: key,
          auth_secret: secret,
          settings: {},
          previous_secret: null,
          previous_secret_until: null,
        }));
      },
    },
  } as unknown as SessionDeps;
  try {
    const { type, body, query } = request;
    const read = readBody(type, Buffer.from(body));
    const input = bind({ path: {}, query: readQuery(`/${query}`), body: read.fields, headers: {} });
    const parameters = read.parameters();
    await verifySignedRequest(deps, { ...(input.input as { signature: string }), parameters });
    return consumed;
  } catch (error) {
    if (error instanceof Fault) return null;
    throw error;
  }
}

/** The base string that a client signs: `name=value` of all pairs, grouped by top-level name. */
function lineOf(pairs: Pairs): string {
  const groups = new Map<string, string[]>();
  for (const [name, text] of pairs) {
    const head = name.split("[")[0] ?? name;
    groups.set(head, [...(groups.get(head) ?? []), `${name}=${text}`]);
  }
  const lines = [...groups.values()].map((group) => group.sort().join("&"));
  return lines.sort().join("&");
}

/** A JSON body with an object for each name with brackets, or with the names unchanged (`flat`). */
function toJson(pairs: Pairs, flat: boolean): string {
  const body: Record<string, unknown> = {};
  for (const [name, text] of pairs) {
    const [, head, tail] = (!flat && /^([^[\]]+)\[([^[\]]+)\]$/.exec(name)) || [];
    if (head !== undefined) body[head] = body[head] ?? {};
    const group = head === undefined ? body : body[head];
    if (typeof group !== "object") continue;
    const number = /^[1-9]\d{0,14}$/.test(text) && !flat;
    Object.assign(group as object, { [tail ?? name]: number ? Number(text) : text });
  }
  return JSON.stringify(body);
}

const nonce = fc.integer({ min: 0, max: 99_999 }).map(String);
const text = fc.oneof(
  fc.constantFrom("alice", "p4ss word&1", "1", "true", "", "x&nonce=5", "x&timestamp=9&zz=1"),
  fc.constantFrom(`a&application_id=775&auth_key=another-key&nonce=7&timestamp=${LATER}`),
  fc.string({ maxLength: 12 }),
);
const others = fc.uniqueArray(
  fc.tuple(
    fc.constantFrom("user[login]", "user[password]", "user[guest]", "long", "aaa", "b[c]", "zz"),
    text,
  ),
  { maxLength: 4, selector: ([name]) => name },
);

/** A request of an honest client: its parameters and the base string that it signed. */
const captured = fc
  .record({ application: fc.constantFrom(...APPLICATIONS), nonce, others, all: fc.boolean() })
  .map(({ application: { id, key, secret }, nonce: n, others: more, all }) => {
    const mandatory: Pairs = [
      ["application_id", String(id)],
      ["auth_key", key],
      ["nonce", n],
      ["timestamp", "1353966601"],
    ];
    const pairs: Pairs = [...mandatory, ...more];
    const line = all ? lineOf(pairs) : lineOf(mandatory);
    const signature = createHmac("sha1", secret).update(line).digest("hex");
    return { pairs, line, signature, used: [id, 1353966601, Number(n)] };
  });

/** Parameters that an attacker adds: mandatory ones of another request, also with similar names. */
const added: fc.Arbitrary<Pairs> = fc.array(
  fc.tuple(
    fc.constantFrom("application_id", "auth_key", "nonce", "timestamp", "nonce[]", "[nonce]"),
    fc.oneof(nonce, fc.constantFrom("774", "775", "another-key", String(LATER), "1353966601")),
  ),
  { maxLength: 3 },
);

/** How to split the captured base string: whether at each `&`, and at which `=` of a part its name ends. */
const cuts = fc.array(fc.tuple(fc.constantFrom(true, true, false), fc.nat(3)), { maxLength: 16 });

function recut(line: string, plan: Array<[cut: boolean, equals: number]>): Pairs {
  const parts: string[] = [];
  for (const [index, part] of line.split("&").entries()) {
    const cut = plan[index]?.[0] ?? true;
    if (cut || parts.length === 0) parts.push(part);
    else parts.push(`${parts.pop()}&${part}`);
  }
  return parts.map((part, index) => {
    const pieces = part.split("=");
    const at = 1 + ((plan[index]?.[1] ?? 0) % Math.max(1, pieces.length - 1));
    return [pieces.slice(0, at).join("="), pieces.slice(at).join("=")];
  });
}

const forged = fc.record({
  request: captured,
  cuts,
  added,
  query: fc.oneof(fc.constant<Pairs>([]), added),
  form: fc.boolean(),
  flat: fc.boolean(),
  now: fc.constantFrom(1353966601, LATER),
  last: fc.boolean(),
});

const encode = (pairs: Pairs) => new URLSearchParams(pairs).toString();

test("a captured signature never verifies with another application, key, timestamp or nonce", async () => {
  const seen = { replayed: 0, changed: 0 };
  await fc.assert(
    fc.asyncProperty(forged, async ({ request, form, flat, last, now, ...plan }) => {
      const names = recut(request.line, plan.cuts);
      const made: Pairs = last ? [...names, ...plan.added] : [...plan.added, ...names];
      const pairs: Pairs = [...made, ["signature", request.signature]];
      const body = form ? encode(pairs) : toJson(pairs, flat);
      const query = plan.query.length > 0 ? `?${encode(plan.query)}` : "";
      const used = await verified({ type: form ? FORM : "application/json", body, query }, now);
      if (used === null) return;
      expect(used).toEqual(request.used);
      seen[plan.added.length + plan.query.length > 0 ? "changed" : "replayed"] += 1;
    }),
    { seed: SEED, numRuns: RUNS },
  );
  // The property is not vacuous: the base string verifies by itself and with additional parameters.
  expect(seen.replayed).toBeGreaterThan(RUNS / 100);
  expect(seen.changed).toBeGreaterThan(RUNS / 100);
}, 300_000);

test("honest requests verify, as JSON and as a form", async () => {
  await fc.assert(
    fc.asyncProperty(captured, fc.boolean(), async ({ pairs, line, signature, used }, form) => {
      // A base string with the name of a mandatory parameter inside a value is ambiguous.
      const all = line.length > lineOf(pairs.slice(0, 4)).length;
      fc.pre(!(all && pairs.slice(4).some(([, value]) => value.includes("&"))));
      const sent: Pairs = [...pairs, ["signature", signature]];
      // The JSON form sends numeric text as numbers.
      fc.pre(!pairs.some(([name, value]) => name === "user[guest]" && !/^(1|true)$/.test(value)));
      const body = form ? encode(sent) : toJson(sent, false);
      const request = { type: form ? FORM : "application/json", body, query: "" };
      expect(await verified(request, 1353966601)).toEqual(used);
    }),
    { seed: SEED, numRuns: 2_000 },
  );
}, 300_000);

test("a base string with a second request inside a value is rejected", async () => {
  const mandatory = (nonce: string): Pairs => [
    ["application_id", "774"],
    ["auth_key", "aY7WwSRmu2-GbfA"],
    ["nonce", nonce],
    ["timestamp", "1353966601"],
  ];
  const honest: Pairs = [
    ["aaa", "x"],
    ...mandatory("5"),
    ["user[full_name]", `y&${lineOf(mandatory("6"))}`],
  ];
  // The same base string, split elsewhere: the client's own values become part of the first value.
  const forgery: Pairs = [
    ["aaa", `x&${lineOf(mandatory("5"))}&user[full_name]=y`],
    ...mandatory("6"),
  ];
  const line = lineOf(honest);
  expect(lineOf(forgery)).toBe(line);
  const signature = createHmac("sha1", "auth_secret_example_1").update(line).digest("hex");
  for (const pairs of [honest, forgery]) {
    const body = encode([...pairs, ["signature", signature]]);
    expect(await verified({ type: FORM, body, query: "" }, 1353966601)).toBeNull();
  }
});

const NAMES = [
  "nonce=33432&timestamp",
  "a=b",
  "a&b",
  "a\nb",
  "a\u0000b",
  "user[a=b]",
  "user[\u007f]",
];

test.each(NAMES)("a parameter name with a separator is INVALID: %j", async (name) => {
  const pairs: Pairs = [
    ["application_id", "774"],
    ["auth_key", "aY7WwSRmu2-GbfA"],
    ["nonce", "1"],
    ["timestamp", "1353966601"],
    [name, "1"],
  ];
  const request = { signature: "0".repeat(40), parameters: pairs };
  const refusal = await verifySignedRequest({} as SessionDeps, request).catch(
    (error: Fault) => error,
  );
  expect(refusal).toMatchObject({ code: "INVALID", fields: { base: [expect.any(String)] } });
});

test.each([
  ["application_id", "7e2"],
  ["nonce", "-1"],
  ["nonce", "1.5"],
  ["nonce", " 1"],
  ["timestamp", ""],
  ["timestamp", "9007199254740992"],
])("a number that does not consist of digits is INVALID: %s = %j", async (changed, value) => {
  const named = { application_id: "774", auth_key: "k", nonce: "1", timestamp: "2" };
  const parameters = Object.entries({ ...named, [changed]: value });
  const field = changed === "application_id" ? "applicationId" : changed;
  const refusal = await verifySignedRequest({} as SessionDeps, { signature: "", parameters }).catch(
    (error: Fault) => error,
  );
  expect(refusal).toMatchObject({ code: "INVALID", fields: { [field]: ["must be digits"] } });
});

test("ambiguous, overlong and too many parameter names are INVALID", () => {
  const read = (body: object) => () =>
    readBody("application/json", Buffer.from(JSON.stringify(body))).parameters();
  const deep = { ["x".repeat(300)]: { a: 1, b: 2 } };
  const wide = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`n${index}`, 1]));
  for (const body of [{ "user[login]": "a" }, { user: { "a][b": 1 } }, deep, wide]) {
    expect(read(body)).toThrow(expect.objectContaining({ code: "INVALID" }));
  }
});
