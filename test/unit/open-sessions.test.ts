import { openSessions } from "../../src/domain/sessions/open-sessions";

test.each([
  [undefined, true],
  ["redis://127.0.0.1:6379", false],
])("with REDIS_URL %s the sessions are cached: %s", async (REDIS_URL, isCached) => {
  const caches: unknown[] = [];
  const sessions = openSessions({
    config: { REDIS_URL, PROVIDER_TIMEOUT_MS: 1_000 },
    sessionEvents: {
      addCache: (cache: unknown) => caches.push(cache),
      onMissed: () => undefined,
    },
  } as unknown as Parameters<typeof openSessions>[0]);
  expect(sessions.sessionCache !== null).toBe(isCached);
  expect(caches).toEqual(isCached ? [sessions.sessionCache] : []);
  await sessions.close();
});
