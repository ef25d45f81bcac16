import type { MediaDeps } from "../../../client/src/conferences/conference-media.ts";
import { ConferenceMedia } from "../../../client/src/conferences/conference-media.ts";
import { LocalMedia, SignalboxError } from "../../../client/src/index.ts";
import { standInMedia } from "../../support/client-package/conference-media";
import { eventually } from "../../support/moving-clock";

test("a bitrate that the service refuses is not applied, now or to a later connection", async () => {
  const { platform } = standInMedia();
  const limits: number[] = [];
  const sender = {
    track: { kind: "video" },
    getParameters: () => ({ encodings: [{}] }),
    async setParameters({ encodings: [encoding] }: { encodings: { maxBitrate: number }[] }) {
      limits.push(encoding?.maxBitrate ?? 0);
    },
  };
  class RTCPeerConnection extends platform.RTCPeerConnection {
    override getSenders = () => [sender] as unknown as RTCRtpSender[];
  }
  const membership = {
    async run(document: unknown, { bitrate }: { bitrate?: number }) {
      if (`${document}`.includes("publishConferenceMedia")) {
        return { publishConferenceMedia: { peerId: "1", answer: "answer" } };
      }
      if (bitrate === 1) throw new SignalboxError("INVALID", "too low");
      return {};
    },
  };
  const media = new ConferenceMedia({
    platform: { ...platform, RTCPeerConnection },
    membership,
    local: await LocalMedia.open(platform, { audio: true, video: true }),
    relayOnly: false,
    participantId: () => "1",
    allowsVideo: () => true,
    onStreams() {},
    onScreenEnded() {},
    onRefused() {},
  } as unknown as MediaDeps);
  const applied = (count: number) =>
    eventually(
      () => limits,
      ({ length }) => length === count,
    );
  media.start([], 500_000);
  await applied(1);
  await expect(media.limit(1)).rejects.toMatchObject({ code: "INVALID" });
  media.peerClosed("1");
  await applied(2);
  expect(limits).toEqual([500_000, 500_000]);
  await media.limit(100_000);
  media.peerClosed("1");
  await applied(4);
  expect(limits.slice(2)).toEqual([100_000, 100_000]);
  media.close();
});
