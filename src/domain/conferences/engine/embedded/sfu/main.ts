import { faultMessage, type GatewayMessage, type SfuMessage } from "../ipc/messages";
import { MediaProbe } from "./media-probe";
import { endWithParent } from "./orphan-watch";
import { Sfu } from "./sfu";

/**
 * The SFU's process, which the gateway forks: a crash of the native library ends only this process. It ends with the
 * gateway.
 */

const send = (message: SfuMessage) => {
  if (process.connected) process.send?.(message);
};

let sfu: Sfu | null = null;
let probe: MediaProbe | null = null;

// The native library may keep threads that hold back an orderly end.
const end = () => process.kill(process.pid, "SIGKILL");

async function handle({ id, method, parameters }: GatewayMessage & { type: "request" }) {
  try {
    if (method === "shutdown") {
      sfu?.shutdown();
      send({ type: "result", id });
      return;
    }
    if (!sfu) throw new Error("not started");
    const act = sfu[method] as (...parameters: unknown[]) => Promise<unknown>;
    send({ type: "result", id, result: await act.apply(sfu, parameters) });
  } catch (error) {
    send({ type: "fault", id, fault: faultMessage(error) });
  }
}

process.on("disconnect", end);
endWithParent();
// A signal of the terminal goes to the whole group; the gateway decides when this process ends.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
process.on("message", (message: GatewayMessage) => {
  if (message.type === "ping") {
    const usage = sfu?.usage() ?? { rooms: 0, peers: 0, tracks: 0 };
    send({ type: "pong", usage, media: probe?.liveness ?? { missing: 0, stuck: 0 } });
  } else if (message.type === "start") {
    sfu ??= new Sfu(message.network, (event) => send({ type: "event", event }));
    probe ??= new MediaProbe(message.network);
    send({ type: "started" });
  } else void handle(message);
});
