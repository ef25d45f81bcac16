import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { Config } from "../core/config";
import type { Log } from "../core/log";
import { openEmbeddedEngine } from "./engine/embedded/embedded-engine";
import type { EngineListener, OpenEngine } from "./engine/engine";
import { openJanusEngine } from "./engine/janus/janus-engine";

/** The settings of engines. */
type EngineConfig = Pick<
  Config,
  | "CONFERENCES"
  | "HOST"
  | "RTC_PORT"
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
        port: config.RTC_PORT || (await freeUdpPort(bindAddress)),
        bindAddress,
        ...(config.RTC_ANNOUNCED_ADDRESS && { announcedAddress: config.RTC_ANNOUNCED_ADDRESS }),
        log,
      },
      listener,
    );
  };
}

/** A UDP port that is free now. All media uses one port, which the media server must know before it starts. */
async function freeUdpPort(address: string): Promise<number> {
  const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
  socket.bind(0, address);
  await once(socket, "listening");
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(() => resolve()));
  return port;
}
