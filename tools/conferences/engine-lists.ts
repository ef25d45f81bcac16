import { WebSocket } from "ws";
import { JANUS_KEYS } from "./janus-server";

/** Number of tracks that the embedded media servers of nodes forward, as these say themselves. */
export async function forwardedTracks(nodes: { graphqlUrl: string }[]): Promise<number> {
  const counts = await Promise.all(
    nodes.map(async ({ graphqlUrl }) => {
      const response = await fetch(new URL("/metrics", graphqlUrl));
      const [, count] = /^signalbox_conference_tracks (\d+)$/m.exec(await response.text()) ?? [];
      return Number(count);
    }),
  );
  return counts.reduce((total, count) => total + count, 0);
}

/** Number of participants of all rooms who publish, as Janus itself lists them. */
export async function janusPublishers(url: string): Promise<number> {
  const socket = new WebSocket(url, "janus-protocol");
  const send = (request: Record<string, unknown>) =>
    new Promise<JanusAnswer>((resolve, reject) => {
      socket.once("error", reject);
      socket.once("message", (data) => resolve(JSON.parse(String(data))));
      socket.send(
        JSON.stringify({ transaction: "list", apisecret: JANUS_KEYS.apiSecret, ...request }),
      );
    });
  try {
    await new Promise((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", reject);
    });
    const { data: session } = await send({ janus: "create" });
    const to = { session_id: session?.id };
    const plugin = "janus.plugin.videoroom";
    const { data: handle } = await send({ janus: "attach", plugin, ...to });
    const ask = async (body: Record<string, unknown>) =>
      (await send({ janus: "message", handle_id: handle?.id, body, ...to })).plugindata?.data;
    let publishers = 0;
    const rooms = await ask({ request: "list", admin_key: JANUS_KEYS.adminKey });
    for (const { room } of rooms?.list ?? []) {
      const listed = await ask({ request: "listparticipants", room });
      publishers += listed?.participants?.filter((each) => each.publisher).length ?? 0;
    }
    await send({ janus: "destroy", ...to });
    return publishers;
  } finally {
    socket.terminate();
  }
}

interface JanusAnswer {
  data?: { id: number };
  plugindata?: {
    data: { list?: { room: string }[]; participants?: { publisher: boolean }[] };
  };
}
