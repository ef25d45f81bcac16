import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import type { Config } from "../../core/config";
import type { Log } from "../../core/log";
import { type RtcPorts, rtcPorts } from "../../core/variables/rtc-ports";
import { openEmbeddedEngine } from "./engine/embedded/embedded-engine";
import type { EngineListener, OpenEngine } from "./engine/engine";
import { openJanusEngine } from "./engine/janus-server/janus-engine";

/** The settings of engines. */
type EngineConfig = Pick<
  Config,
  | "CONFERENCES"
  | "HOST"
  | "RTC_PORT"
  | "RTC_PROCESSES"
  | "RTC_BIND_ADDRESS"
  | "RTC_ANNOUNCED_ADDRESS"
  | "JANUS_URL"
  | "JANUS_API_SECRET"
  | "JANUS_ADMIN_KEY"
  | "JANUS_ADMIN_URL"
  | "JANUS_ADMIN_SECRET"
>;

/** Opens the engine of a node; null with CONFERENCES=off. */
export type OpenConferenceEngine = (listener: EngineListener) => Promise<OpenEngine | null>;

/** The Admin API that the configuration names; undefined for none. */
export function janusAdmin(config: Pick<Config, "JANUS_ADMIN_URL" | "JANUS_ADMIN_SECRET">) {
  const { JANUS_ADMIN_URL: url, JANUS_ADMIN_SECRET: secret } = config;
  return url !== undefined && secret !== undefined ? { url, secret } : undefined;
}

/** Opens the engine that the configuration names. */
export function configuredEngine(config: EngineConfig, log: Log): OpenConferenceEngine {
  return async (listener) => {
    if (!config.CONFERENCES) return null;
    const { JANUS_URL: url, JANUS_API_SECRET: apiSecret, JANUS_ADMIN_KEY: adminKey } = config;
    if (url !== undefined && apiSecret !== undefined && adminKey !== undefined) {
      const admin = janusAdmin(config);
      return openJanusEngine({ url, apiSecret, adminKey, log, ...(admin && { admin }) }, listener);
    }
    const bindAddress = config.RTC_BIND_ADDRESS ?? config.HOST;
    return openEmbeddedEngine(
      {
        ports: await chosenPorts(rtcPorts(config), bindAddress),
        bindAddress,
        ...(config.RTC_ANNOUNCED_ADDRESS && { announcedAddress: config.RTC_ANNOUNCED_ADDRESS }),
        log,
      },
      listener,
    );
  };
}

/** The ports, each 0 replaced by one that is free now: the media server must know its ports before it starts. */
async function chosenPorts({ regular, quarantine }: RtcPorts, address: string): Promise<RtcPorts> {
  const sockets: Socket[] = [];
  const choose = async (port: number) => {
    if (port !== 0) return port;
    const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
    sockets.push(socket);
    socket.bind(0, address);
    await once(socket, "listening");
    return socket.address().port;
  };
  const chosen = {
    regular: await Promise.all(regular.map(choose)),
    quarantine: await Promise.all(quarantine.map(choose)),
  };
  await Promise.all(
    sockets.map((socket) => new Promise<void>((resolve) => socket.close(() => resolve()))),
  );
  return chosen;
}
