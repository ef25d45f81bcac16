/** Free ports, without TLS, which would make each node generate a certificate; one process for media. */
export const FREE_PORTS = {
  PORT: "0",
  XMPP_WS_PORT: "0",
  XMPP_WSS_PORT: "off",
  XMPP_TCP_PORT: "off",
  XMPP_TLS_PORT: "off",
  CONFERENCE_WS_PORT: "0",
  CONFERENCE_WSS_PORT: "off",
  RTC_PORT: "0",
  RTC_PROCESSES: "1",
};

/** A free port for each chat transport. */
export const FREE_CHAT_PORTS = {
  XMPP_WS_PORT: "0",
  XMPP_WSS_PORT: "0",
  XMPP_TCP_PORT: "0",
  XMPP_TLS_PORT: "0",
};
