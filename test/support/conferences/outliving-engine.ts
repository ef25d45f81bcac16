import type {
  EngineListener,
  EngineRoom,
  EngineState,
  OpenEngine,
} from "../../../src/domain/conferences/engine/engine";
import { MemoryEngine } from "./memory-engine";

/** An engine without media that keeps its peers when its node ends, as a Janus server does. */
export class OutlivingEngine {
  private listener: EngineListener = () => undefined;
  readonly memory = new MemoryEngine((event) => this.listener(event));

  /** Opens it for a node, with the peers of the earlier one. */
  readonly open = async (listener: EngineListener): Promise<OpenEngine> => {
    this.listener = listener;
    const { memory } = this;
    return {
      name: memory.name,
      connect: (request) => memory.connect(request),
      signal: (peer, message) => memory.signal(peer, message),
      close: (target) => memory.close(target),
      usage: () => memory.usage(),
      shutdown: async () => undefined,
      async open(room: EngineRoom, stored?: EngineState) {
        await memory.open(room);
        const peers = [...memory.peers.values()].filter((peer) => peer.room === room.room);
        return { state: { kept: true }, resumed: stored ? peers.map(({ id }) => id) : [] };
      },
    };
  };
}
