import { Watcher } from "../../../client/src/conferences/watcher.ts";
import { standInMedia } from "../../support/client-package/conference-media";
import { eventually } from "../../support/moving-clock";

test("an offer that an event repeats after a snapshot is answered once, and its streams are read again", async () => {
  const { platform } = standInMedia();
  let answers = 0;
  let reads = 0;
  const membership = {
    async run(document: unknown) {
      const text = `${document}`;
      if (text.includes("watchConference")) {
        return { watchConference: { peerId: "1", offer: "first", streams: [] } };
      }
      if (text.includes("answerConferencePeer")) answers += 1;
      return {};
    },
  };
  const watcher = new Watcher({
    membership: membership as never,
    newConnection: () => new platform.RTCPeerConnection(),
    newStream: () => new MediaStream(),
    onStreams() {
      reads += 1;
    },
  });
  await watcher.open();
  const before = { answers, reads };
  expect(before.answers).toBe(1);
  watcher.update({ peerId: "1", offer: "first", streams: [] });
  watcher.update({ peerId: "1", offer: "second", streams: [] });
  await eventually(
    () => reads,
    (count) => count === before.reads + 2,
  );
  expect(answers).toBe(2);
  watcher.close();
});
