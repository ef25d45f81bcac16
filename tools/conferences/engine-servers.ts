import { readdirSync, readFileSync } from "node:fs";
import { forwardedTracks, janusPublishers } from "./engine-lists";
import { JANUS_ADMIN_SECRET, JANUS_KEYS, type JanusProcess, startJanus } from "./janus-server";

/** What a deployment needs beside its nodes to have conferences on an engine. */
export interface EngineServer {
  /** Variables of the nodes. */
  environment: Record<string, string>;
  /**
   * Ends the engine as a crash does, and lets it come back.
   * @param node id of the process of the node that hosts the conferences
   */
  kill(node: number): Promise<void>;
  /** Stops the engine so that it does not answer, and lets it come back once the node has noticed. */
  hang(node: number, noticed: () => Promise<void>): Promise<void>;
  /**
   * Whether the engine itself, and not its gateway, lists so many publishers in all rooms, who watch each other.
   * @param nodes that use the engine
   */
  lists(publishers: number, nodes: { graphqlUrl: string }[]): Promise<boolean>;
  stop(): Promise<void>;
}

/** The engines with media, as deployments have them. */
export const ENGINE_SERVERS: { name: string; start(): Promise<EngineServer> }[] = [
  { name: "the embedded media server", start: async () => EMBEDDED },
  { name: "Janus", start: startJanusServer },
];

const EMBEDDED: EngineServer = {
  environment: {},
  kill: async (node) => void process.kill(sfuOf(node), "SIGKILL"),
  // The node ends a media server that does not answer.
  hang: async (node) => void process.kill(sfuOf(node), "SIGSTOP"),
  // Audio and video of each to all others.
  lists: async (publishers, nodes) =>
    (await forwardedTracks(nodes)) === 2 * publishers * (publishers - 1),
  stop: async () => undefined,
};

/** The process of the media server that a node has started. */
function sfuOf(node: number): number {
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const read = (file: string) => {
      try {
        return readFileSync(`/proc/${name}/${file}`, "utf8");
      } catch {
        return "";
      }
    };
    // The fields after the name of the program: state, parent.
    const [, parent] = read("stat").split(") ").at(-1)?.split(" ") ?? [];
    if (Number(parent) === node && read("cmdline").includes("embedded/sfu/main")) {
      return Number(name);
    }
  }
  throw new Error(`node ${node} has no media server`);
}

async function startJanusServer(): Promise<EngineServer> {
  const janus: JanusProcess = await startJanus();
  return {
    environment: {
      JANUS_URL: janus.url,
      JANUS_API_SECRET: JANUS_KEYS.apiSecret,
      JANUS_ADMIN_KEY: JANUS_KEYS.adminKey,
      JANUS_ADMIN_URL: janus.adminUrl,
      JANUS_ADMIN_SECRET,
    },
    async kill() {
      await janus.signal("SIGKILL");
      await janus.start();
    },
    async hang(_node, noticed) {
      await janus.signal("SIGSTOP");
      await noticed();
      await janus.signal("SIGCONT");
    },
    lists: async (publishers) => (await janusPublishers(janus.url)) === publishers,
    stop: () => janus.stop(),
  };
}
