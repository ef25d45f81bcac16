import { hasServices } from "../support/database";
import { startNode } from "../support/node";

const embedded = hasServices ? describe.skip : describe;

embedded("two nodes on one data folder", () => {
  it("are refused, and the first goes on", async () => {
    const node = await startNode();
    try {
      const second = startNode({}, {}, node);
      await expect(second).rejects.toThrow("x");
    } finally {
      await node.stop();
    }
  });
});
