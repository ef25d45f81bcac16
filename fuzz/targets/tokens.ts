import type { Random } from "../../tools/seeded-random";
import { chance, pick } from "../input/random";
import { hostileText, mutateText, toJson } from "../input/values";
import { type HttpInput, sendHttp } from "./http-client";
import type { Case, Target } from "./target";

/** Fields that return a cursor and accept `after`. */
const PAGES = [
  ["users(filter: {}, first: 2, after: $after) { pageInfo { endCursor } }", "users"],
  ["calls(first: 2, after: $after) { pageInfo { endCursor } }", "calls"],
  ["pushEvents(first: 2, after: $after) { pageInfo { endCursor } }", "pushEvents"],
] as const;

/** Ended and mutated tokens, mutated codes and cursors: such a token must be refused, a mutated cursor must do no harm. */
export const tokens: Target = {
  name: "tokens",
  weight: 1,
  concurrency: 8,
  async run(each) {
    await (chance(each.random, 50) ? token(each) : cursor(each));
  },
};

async function token(each: Case): Promise<void> {
  const { random, deployment } = each;
  const url = pick(random, deployment.nodes).urls.http ?? "";
  const real = deployment.fixture.token(random, 15) ?? deployment.fixture.user(random).token;
  const changed = chance(random, 20)
    ? deployment.fixture.refusedToken(random)
    : change(random, real);
  // Whitespace around a header's value is not part of it (RFC 9110 section 5.5).
  const shown = changed.replace(/[^\t\x20-\x7e\x80-\xff]/g, "?").slice(0, 6_000);
  const same = shown.trim() === real;
  const kind = random(4);
  const known = /"login":"|"nodes"|"id":\d/;
  const inputs: HttpInput[] = [
    { method: "GET", path: "/session", headers: { "Svc-Token": shown } },
    graphqlInput("{ currentSession { userId user { login } } }", {}, { "Svc-Token": shown }),
    graphqlInput("{ account { id } }", {}, { Authorization: `Bearer ${shown}` }),
    {
      method: "PATCH",
      path: "/session/web",
      headers: {
        "Svc-Token": deployment.fixture.user(random).token,
        "Content-Type": "application/json",
      },
      body: Buffer.from(toJson({ token: changed })),
    },
  ];
  const input = inputs[kind] as HttpInput;
  const { status, text } = await sendHttp(each, url, input);
  if (same) return;
  if (status === 200 && known.test(text)) {
    each.violation(
      `a mutated or ended token was accepted: ${JSON.stringify(shown)} of ${JSON.stringify(real)}`,
    );
  }
}

async function cursor(each: Case): Promise<void> {
  const { random, deployment } = each;
  const url = pick(random, deployment.nodes).urls.http ?? "";
  const { token: user } = deployment.fixture.user(random);
  const [field, name] = pick(random, PAGES);
  const query = `query ($after: String) { ${field} }`;
  const headers = { "Svc-Token": user };
  const first = await sendHttp(each, url, graphqlInput(query, {}, headers));
  if (first.text.includes("Required session")) return deployment.fixture.replace(user);
  const real = JSON.parse(first.text).data?.[name]?.pageInfo?.endCursor ?? "MQ==";
  for (let count = 0; count < 4; count += 1) {
    const after = change(random, real);
    const { text } = await sendHttp(each, url, graphqlInput(query, { after }, headers));
    const code = /"code":"([A-Z_]+)"/.exec(text)?.[1];
    each.outcome(code ?? "read");
  }
}

/** Changes the encoding or the bytes of a text. */
function change(random: Random, text: string): string {
  switch (random(9)) {
    case 0:
      return text.toUpperCase();
    case 1:
      return `${text}${pick(random, ["=", "\0", "%00", "\n", "a", ".", "--"])}`;
    case 2:
      return text.slice(0, random(text.length));
    case 3:
      return Buffer.from(
        mutateText(random, Buffer.from(text, "base64").toString("latin1")),
        "latin1",
      ).toString("base64url");
    case 4:
      return Buffer.from(text).toString("base64");
    case 5:
      return hostileText(random);
    case 6:
      return `${text},${text}`;
    default:
      return mutateText(random, text);
  }
}

function graphqlInput(query: string, variables: object, headers: Record<string, string>) {
  return {
    method: "POST",
    path: "/graphql",
    headers: { ...headers, "Content-Type": "application/json" },
    body: Buffer.from(toJson({ query, variables })),
  };
}
