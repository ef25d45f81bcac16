import type {
  SyntheticPeers,
  SyntheticPublisher,
  SyntheticWatcher,
} from "../../../../tools/conferences/synthetic-peer";
import type { TestNode } from "../../node";
import { LegacyClient } from "../legacy-client";
import { overPolling, overWebSocket } from "../legacy-transports";

/** Opens a session of the Janus protocol on a node, in each framing. */
export const LEGACY_FRAMINGS: Record<
  "WebSocket" | "long polling",
  (node: TestNode, token: string) => Promise<LegacyClient>
> = {
  WebSocket: ({ app }, token) =>
    LegacyClient.open(overWebSocket, app.conferenceUrls.ws ?? "", token),
  "long polling": ({ baseUrl }, token) => LegacyClient.open(overPolling, baseUrl, token),
};

/** Publishes over the Janus protocol, with a data channel as legacy clients have. */
export async function publishLegacy(
  peers: SyntheticPeers,
  client: LegacyClient,
  sender: number,
): Promise<SyntheticPublisher> {
  const publisher = await peers.publish({ sender, data: true });
  await publisher.accept(await client.publish(publisher.offer));
  return publisher;
}

/** Watches one feed over the Janus protocol. */
export async function listenLegacy(
  peers: SyntheticPeers,
  client: LegacyClient,
  room: string,
  feed: number,
): Promise<SyntheticWatcher> {
  const attached = await client.listen(room, feed);
  const watcher = await peers.watch(attached.jsep?.sdp ?? "");
  await client.start(room, feed, watcher.answer);
  await watcher.connect();
  return watcher;
}
