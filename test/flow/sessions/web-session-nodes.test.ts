import { findSession } from "../../../src/domain/sessions/sessions";
import { watchBinding } from "../../../src/domain/web-sessions/binding-watch";
import { openSocket } from "../../../tools/graphql/graphql-socket";
import { openTestModules } from "../../support/auth-modules";
import { eventually } from "../../support/moving-clock";
import { startNode } from "../../support/node";
import { hasServices } from "../../support/operations/database";
import { newUser, rest, signedParameters, signIn } from "../../support/rest-client";

it("sessionBound delivers the session even if the event was lost", async () => {
  const node = await startNode();
  const modules = await openTestModules({ store: node.app.store });
  // As on a node of a cluster, which caches no sessions.
  const sessions = { ...modules.sessions, sessionCache: null };
  try {
    const user = await newUser(node);
    const create = () => rest(node, "POST", "/session/web", { body: signedParameters(node) });
    const [one, two] = [(await create()).body.session, (await create()).body.session];
    const watch = async (token: string) =>
      watchBinding(sessions, await findSession(sessions, token), token);
    const [active, cancelled] = [await watch(one.token), await watch(two.token)];
    const [first, second] = [active.next(), cancelled.next()];
    await cancelled.return?.();
    expect(await second).toEqual({ value: undefined, done: true });

    const body = { web_token: one.token };
    expect((await rest(node, "PATCH", "/session/web", { token: user.token, body })).status).toBe(
      200,
    );
    await modules.platform.bus.publish("session-events", "");
    expect((await first).value).toMatchObject({ id: one.id, userId: user.id });
    expect(await active.next()).toEqual({ value: undefined, done: true });
  } finally {
    await modules.close();
    await node.stop();
  }
});

// Two nodes need a shared PostgreSQL and Redis.
if (hasServices) describe("two nodes", onServices);

function onServices() {
  it("bind a web session once, even if its user signs out on either node at the same time", async () => {
    const one = await startNode();
    const two = await startNode({}, {}, one);
    try {
      const users = [await newUser(one), await newUser(two)] as const;
      const { session } = (await rest(one, "POST", "/session/web", { body: signedParameters(one) }))
        .body;
      const body = { web_token: session.token };
      const statuses = await Promise.all(
        Array.from({ length: 40 }, async (_, index) => {
          const node = index % 2 ? one : two;
          const { token } = users[index % 4 < 2 ? 0 : 1];
          const bind = () => rest(node, "PATCH", "/session/web", { token, body });
          // On a busy machine a request may wait too long for a connection of the pool, and binds nothing.
          const { status } = await eventually(bind, (answer) => answer.status !== 503);
          await rest(index % 3 ? one : two, "DELETE", "/login", { token: session.token });
          return status;
        }),
      );
      expect(statuses.sort()).toEqual([200, ...Array(39).fill(404)]);
      for (const node of [one, two]) {
        const { token } = users[0];
        expect((await rest(node, "PATCH", "/session/web", { token, body })).status).toBe(404);
        const shown = await rest(node, "GET", "/session", { token: session.token });
        expect(shown.body.session.user_id).toBeNull();
      }
    } finally {
      await two.stop();
      await one.stop();
    }
  });

  it("notify each other of bindings, ended sessions and renewed sockets", async () => {
    const one = await startNode();
    const two = await startNode({}, {}, one);
    try {
      const user = await newUser(one);
      const { session } = (await rest(one, "POST", "/session/web", { body: signedParameters(one) }))
        .body;
      const socket = await openSocket(two, session.token);
      const bound = socket.run("subscription { sessionBound { userId } }");
      const body = { web_token: session.token };
      await rest(one, "PATCH", "/session/web", { token: user.token, body });
      expect(await bound).toEqual({ data: { sessionBound: { userId: String(user.id) } } });

      const fresh = await signIn(one, user);
      const renewed = await openSocket(two, fresh.token);
      const query =
        "mutation ($token: String!) { renewSocket(input: { token: $token }) { session { userId } } }";
      expect((await renewed.run(query, { token: user.token })).errors).toBeUndefined();
      await rest(one, "DELETE", "/session/list", { token: user.token });
      expect((await socket.closed).code).toBe(4401);
      expect((await renewed.run("{ currentSession { id } }")).errors).toBeUndefined();
      await rest(one, "DELETE", "/session", { token: user.token });
      expect((await renewed.closed).code).toBe(4401);
    } finally {
      await two.stop();
      await one.stop();
    }
  });
}
