import { rest } from "../support/client";
import { startNode } from "../support/node";

it("is ready", async () => {
  const node = await startNode();
  expect((await rest(node, "GET", "/readyz")).status).toBe(200);
  await node.stop();
});
