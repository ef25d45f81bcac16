import { sign } from "../../src/domain/sessions/signature";
import { corrupt, type Random } from "../../tools/seeded-random";
import type { Fixture } from "../deployment/fixture";
import { chance, pick } from "../input/random";
import { hostileName, hostileText, mutateText, urlEncode } from "../input/values";
import { sendHttp } from "./http-client";
import type { Case, Target } from "./target";

type Pair = [name: string, value: string];

/**
 * Signed requests. Each is sent once as signed; an attacker who captured it then sends mutations of it,
 * without a new signature. None of them may create a session.
 */
export const signatures: Target = {
  name: "signatures",
  weight: 1,
  concurrency: 6,
  async run(each) {
    const { random, deployment } = each;
    const { fixture } = deployment;
    const url = pick(random, deployment.nodes).urls.http ?? "";
    const captured = signedPairs(random, fixture);
    const path = chance(random, 80) ? "/session" : "/session/web";
    const { status, text } = await post(each, url, path, captured, chance(random, 50), "");
    if (status !== 201) return each.violation(`a signed request was refused: ${status} ${text}`);
    for (let count = 0; count < 6; count += 1) {
      const other = pick(random, deployment.nodes).urls.http ?? "";
      const { pairs, query } = mutate(random, captured);
      const answer = await post(
        each,
        other,
        pick(random, ["/session", "/session/web"]),
        pairs,
        chance(random, 50),
        query,
      );
      if (answer.status === 201)
        each.violation(`a captured request opened a session: ${answer.text}`);
    }
  },
};

/** A request signed over the mandatory parameters, or over all of them. */
function signedPairs(random: Random, fixture: Fixture): Pair[] {
  const signed = fixture.signed();
  if (chance(random, 50)) {
    return Object.entries(signed).map(([name, value]) => [name, String(value)]);
  }
  const { signature: _, ...mandatory } = signed;
  const more: Pair[] = chance(random, 50) ? [["user[guest]", "1"]] : [["long", "1"]];
  const pairs: Pair[] = [
    ...Object.entries(mandatory).map(([name, value]): Pair => [name, String(value)]),
    ...more,
  ];
  const line = pairs.map((pair) => pair.join("=")).sort();
  return [...pairs, ["signature", sign(line.join("&"), fixture.application.authSecret)]];
}

/** Changes parameters of the captured request, and keeps its signature. */
function mutate(random: Random, captured: Pair[]): { pairs: Pair[]; query: string } {
  let pairs = captured.map(([name, value]): Pair => [name, value]);
  let query = "";
  for (let edits = 1 + random(3); edits > 0; edits -= 1) {
    const at = random(pairs.length);
    const [name, value] = pairs[at] ?? ["", ""];
    switch (random(8)) {
      case 0: // Timestamp or nonce as different text with the same numeric meaning.
        pairs[at] = [
          name,
          pick(random, [`${value} `, `0${value}`, `+${value}`, `${value}.0`, `${value}e0`]),
        ];
        break;
      case 1:
        pairs[at] = [name, String(Number(value) + 1 + random(100))];
        break;
      case 2: // The rest of the signed line within one name or value.
        pairs = join(random, pairs);
        break;
      case 3:
        query = pairs.map(([key, each]) => `${key}=${urlEncode(each)}`).join("&");
        pairs[at] = [name, String(random(100_000))];
        break;
      case 4:
        pairs.push([name, String(random(100_000))]);
        break;
      case 5:
        pairs.push([hostileName(random), hostileText(random)]);
        break;
      case 6:
        pairs[at] = [mutateText(random, name), value];
        break;
      default:
        pairs[at] = [name, mutateText(random, value)];
    }
  }
  return { pairs, query };
}

/** Joins neighbours of the sorted line into one parameter, so that the signed line is unchanged. */
function join(random: Random, pairs: Pair[]): Pair[] {
  const signed = pairs.filter(([name]) => name !== "signature").sort();
  const at = random(Math.max(1, signed.length - 1));
  const [first, second] = [signed[at], signed[at + 1]];
  if (!first || !second) return pairs;
  const [name, value] = first;
  const joined: Pair = chance(random, 50)
    ? [name, `${value}&${second.join("=")}`]
    : [`${name}=${value}&${second[0]}`, second[1]];
  const fresh: Pair = [pick(random, [name, second[0]]), String(Math.floor(Date.now() / 1000))];
  const others = signed.filter((pair) => pair !== first && pair !== second);
  const [signature] = pairs.filter(([key]) => key === "signature");
  return [...others, joined, fresh, ...(signature ? [signature] : [])];
}

function post(
  each: Case,
  url: string,
  path: string,
  pairs: Pair[],
  asForm: boolean,
  query: string,
) {
  const text = asForm
    ? pairs.map(([name, value]) => `${urlEncode(name)}=${urlEncode(value)}`).join("&")
    : JSON.stringify(nest(pairs));
  const type = asForm ? "application/x-www-form-urlencoded" : "application/json";
  const whole = Buffer.from(text);
  const body = chance(each.random, 3) && query !== "" ? corrupt(each.random, whole) : whole;
  const at = query === "" ? path : `${path}?${query.replace(/[^\x21-\x7e]/g, "")}`;
  return sendHttp(each, url, { method: "POST", path: at, headers: { "Content-Type": type }, body });
}

/** Converts brackets to objects, one level deep. */
function nest(pairs: Pair[]): object {
  const made: Record<string, unknown> = Object.create(null);
  for (const [name, value] of pairs) {
    const [, outer, inner] = /^(\w+)\[(\w+)\]$/.exec(name) ?? [];
    if (outer && inner) made[outer] = { [inner]: value };
    else made[name] = value;
  }
  return made;
}
