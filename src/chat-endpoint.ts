import type { ChatBanner } from "./core/console";
import { hostInUrl } from "./core/host-in-url";
import type { Lifecycle } from "./core/lifecycle";
import type { LiveCertificate } from "./core/tls/certificate";
import type { SessionEvents } from "./domain/session-events/session-events";
import type { Platform } from "./open-platform";
import type { ChatServices } from "./transports/xmpp/c2s/services";
import { type Component, openComponent } from "./transports/xmpp/component/component";
import { chatUrls, openChat } from "./transports/xmpp/endpoint";

/** The chat endpoint of this node, or the chat server that it is connected to. */
export interface ChatEndpoint {
  urls: ChatBanner;
  drain(windowMs: number): Promise<void>;
}

/** Opens the component of the chat server, which {@link openChatEndpoint} connects; null in the mode without one. */
export function openChatServer(
  { config, log, metrics, counters, bus, limiters }: Platform,
  sessionEvents: SessionEvents,
): Component | null {
  if (config.CHAT_MODE !== "component") return null;
  return openComponent({
    config,
    log,
    metrics,
    counters,
    bus,
    limiter: limiters.global,
    onTermination: (listener) => sessionEvents.onTermination(listener),
  });
}

/**
 * Opens the chat endpoint of this node, or connects to the chat server as its component. The sockets of chat clients then
 * belong to the chat server.
 */
export async function openChatEndpoint(
  services: ChatServices,
  component: Component | null,
  certificate: LiveCertificate | null,
  lifecycle: Lifecycle,
): Promise<ChatEndpoint> {
  const { config, router } = services;
  if (component) {
    lifecycle.add("chat server", () => component.close());
    await component.start(router);
    return { urls: { server: `xmpp:${config.CHAT_DOMAIN}` }, drain: async () => undefined };
  }
  const chat = await openChat(services, certificate);
  lifecycle.add("chat endpoint", () => chat.close());
  return { urls: chatUrls(chat.ports, hostInUrl(config.HOST)), drain: chat.drain };
}
