import type { Config } from "./core/config";
import type { ChatBanner } from "./core/console";
import { hostInUrl } from "./core/host-in-url";
import type { Lifecycle } from "./core/lifecycle";
import type { LiveCertificate } from "./core/tls/certificate";
import type { Router } from "./domain/calls/router";
import type { ChatServices } from "./transports/xmpp/c2s/services";
import type { Component } from "./transports/xmpp/component/component";
import { chatUrls, openChat } from "./transports/xmpp/endpoint";

/** The chat endpoint of this node, or the chat server that it is connected to. */
export interface ChatEndpoint {
  urls: ChatBanner;
  drain(windowMs: number): Promise<void>;
}

/** Opens the chat endpoint of this node. */
export async function openChatEndpoint(
  services: ChatServices,
  certificate: LiveCertificate | null,
  lifecycle: Lifecycle,
): Promise<ChatEndpoint> {
  const { config } = services;
  const chat = await openChat(services, certificate);
  lifecycle.add("chat endpoint", () => chat.close());
  return {
    urls: chatUrls(chat.ports, hostInUrl(config.HOST)),
    drain: chat.drain,
  };
}

/** Connects to the chat server as a component. The sockets of chat clients belong to the chat server. */
export async function connectComponent(
  component: Component,
  router: Router,
  config: Config,
  lifecycle: Lifecycle,
): Promise<ChatEndpoint> {
  lifecycle.add("chat server", () => component.close());
  await component.start(router);
  return {
    urls: { server: `xmpp:${config.CHAT_DOMAIN}` },
    drain: async () => undefined,
  };
}
