import type { Random } from "../../tools/seeded-random";
import type { Fixture, FuzzUser } from "../deployment/fixture";
import { chance, pick } from "./random";
import { hostileText } from "./values";

/** Creates a plausible value of a field, so that inputs pass the first checks. */
type Sample = (random: Random, fixture: Fixture, user: FuzzUser) => unknown;

const PLATFORMS = ["ios", "android", "web", "Web", "iOS"];
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");
const inAMinute = () => Math.floor(Date.now() / 1000) + 60;

const SAMPLES: Record<string, Sample> = {
  applicationid: (_, fixture) => fixture.application.id,
  authkey: (_, fixture) => fixture.application.authKey,
  accountkey: (_, fixture) => fixture.accountKey,
  timestamp: () => Math.floor(Date.now() / 1000),
  nonce: (random) => random(1_000_000_000),
  login: (random, _, user) => (chance(random, 60) ? user.login : `l${random(1_000_000)}`),
  password: (_, __, user) => user.password ?? "correct horse",
  oldpassword: (_, __, user) => user.password ?? "correct horse",
  email: (random, _, user) =>
    chance(random, 50) ? `${user.login}@example.com` : `e${random(1_000_000)}@example.com`,
  fullname: (random) => pick(random, ["Zoë O'Neill", "李小龙", "A", "guest"]),
  phone: (random) => `+49${random(1_000_000_000)}`,
  website: () => "https://example.com/",
  customdata: () => '{"a":1}',
  taglist: (random) => pick(random, ["a,b", ["a", "b"], "", "c"]),
  tags: (random) => pick(random, ["a,b", ["a", "b"], "c"]),
  externalid: (random) => `x${random(1_000)}`,
  externaluserid: (random) => `x${random(1_000)}`,
  facebookid: (random) => String(random(1_000)),
  twitterid: (random) => String(random(1_000)),
  guest: () => 1,
  id: (_, __, user) => user.id,
  ids: (random, fixture) => `${fixture.user(random).id},${fixture.user(random).id}`,
  userid: (random, fixture) => fixture.user(random).id,
  recipientid: (random, fixture) => fixture.user(random).id,
  sessionid: (random) => String(random(100)),
  signaltype: (random) => pick(random, ["call", "accept", "reject", "hangUp", "iceCandidates"]),
  sdp: () => "v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\n",
  platform: (random) => pick(random, PLATFORMS),
  udid: (random) => `udid-${random(50)}`,
  clientidentificationsequence: (random) =>
    random(2 ** 30)
      .toString(16)
      .padStart(64, "a"),
  webendpoint: () => "https://push.example/endpoint",
  message: (random) =>
    chance(random, 50)
      ? base64({ message: "Hello" })
      : `payload=${base64({ aps: { alert: "Hello" } })}`,
  date: inAMinute,
  enddate: inAMinute,
  period: () => 86_400,
  filter: (random) =>
    pick(random, ["number id gt 1", "string login in a,b", "date created_at lt 2030-01-01"]),
  order: () => "desc date created_at",
  token: (random, fixture) => fixture.token(random),
  limit: (random) => random(120),
  first: (random) => random(120),
  offset: (random) => random(20),
  page: (random) => random(5),
  perpage: (random) => random(120),
  code: (random) => hostileText(random),
};

/** A plausible value for a field name; undefined if the name is unknown. */
export function sample(random: Random, fixture: Fixture, name: string): unknown {
  const made = SAMPLES[name.toLowerCase().replace(/[_[\]]/g, "")];
  return made?.(random, fixture, fixture.user(random));
}
