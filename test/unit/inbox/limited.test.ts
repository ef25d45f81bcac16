import { systemClock } from "../../../src/core/clock";
import { openMetrics } from "../../../src/core/metrics";
import { ApplicationCounters } from "../../../src/core/statistics/application-counters";
import { inboxOf } from "../../../src/domain/calls/inbox/bus-keys";
import { openRouter } from "../../../src/domain/calls/router";
import { SenderLimits } from "../../../src/domain/calls/sender-limits";
import { openLocalBus } from "../../../src/platform/bus/local";
import { LocalLimiter } from "../../../src/platform/limits/local-limiter";
import { ann, bob, log, signal } from "./subscribers";

const clock = { now: () => 1_000_000 };
const FIGURES = { RATE_MESSAGES_PER_USER: 4, RATE_MESSAGE_BYTES_PER_USER: 10_000 };

function routerWithLimits() {
  const bus = openLocalBus(clock, log);
  const router = openRouter({
    bus,
    clock,
    log,
    metrics: openMetrics(),
    counters: new ApplicationCounters(systemClock),
    userExists: async (_applicationId, userId) => userId !== 99,
    isAnsweredElsewhereEnabled: async () => false,
    limits: new SenderLimits(FIGURES, new LocalLimiter(clock), clock),
  });
  return { bus, router };
}
const LIMITED = { code: "LIMITED", retryAfter: 60 };

test("a user's signals and stanzas count together, over all protocols", async () => {
  const { bus, router } = routerWithLimits();
  // Signals forwarded by a chat server are sent with the protocol `xmpp`.
  for (const protocol of ["graphql", "xmpp", "rest"] as const)
    await router.send(protocol, signal(protocol));
  await router.relay(bob, ann, "<message/>");
  for (const protocol of ["graphql", "xmpp", "rest"] as const) {
    await expect(router.send(protocol, signal("late"))).rejects.toMatchObject(LIMITED);
  }
  await expect(router.relay(bob, ann, "<message/>")).rejects.toMatchObject(LIMITED);
  expect((await bus.read(inboxOf(ann), "")).entries).toHaveLength(3);
  await router.send("graphql", signal("other", { from: ann, to: bob }));
});

test("signals refused for their recipient count as well, and so do bytes", async () => {
  const { router } = routerWithLimits();
  const nobody = { ...ann, userId: 99 };
  for (let n = 0; n < 4; n++) {
    const refused = router.send("xmpp", signal("lost", { to: nobody }));
    await expect(refused).rejects.toMatchObject({ code: "NOT_FOUND" });
  }
  await expect(router.send("xmpp", signal("late"))).rejects.toMatchObject(LIMITED);
  const large = { from: ann, to: bob, sdp: "x".repeat(6_000) };
  await router.send("rest", signal("first", large));
  await expect(router.send("rest", signal("second", large))).rejects.toMatchObject(LIMITED);
});
