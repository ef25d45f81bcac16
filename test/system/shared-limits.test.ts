import { startNode, type TestNode } from "../support/node";
import { rest, signedParameters } from "../support/rest-client";

/** Redis has its own clock: no delay may expire during the test, however slow the machine. */
const PARTS = { firstWaitMs: 600_000 };

test("two nodes on one Redis share their limits", async () => {
  const limits = { RATE_SIGN_INS_PER_IP: "4", FAILED_SIGN_INS_BEFORE_DELAY: "2" };
  const one = await startNode(limits, PARTS);
  const two = await startNode(limits, PARTS, one);
  try {
    const session = await rest(one, "POST", "/session", { body: signedParameters(one) });
    const own = session.body.session.token;
    const call = (at: TestNode, login: string) =>
      rest(at, "POST", "/login", { token: own, body: { login, password: "wrong horse" } });
    expect((await call(one, "a")).status).toBe(401);
    expect((await call(two, "a")).status).toBe(401);
    const waits = await call(one, "a");
    expect([waits.status, waits.headers.get("retry-after")]).toEqual([429, "600"]);
    expect((await call(two, "b")).status).toBe(401);
    expect((await call(two, "c")).status).toBe(429);
    expect((await call(one, "c")).status).toBe(429);
  } finally {
    await two.stop();
    await one.stop();
  }
});
