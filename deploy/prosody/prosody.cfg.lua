-- Prosody 0.12 beside Signalbox: chat clients sign in here, and call with GraphQL users there.
--
--   apt-get install prosody lua-event
--   install -d /usr/local/lib/signalbox/prosody
--   install -m 0644 mod_*.lua /usr/local/lib/signalbox/prosody/
--   install -m 0640 -g prosody prosody.cfg.lua /etc/prosody/prosody.cfg.lua
--   prosodyctl check config && systemctl restart prosody
--
-- and at Signalbox, which runs on the same machine here:
--
--   CHAT_MODE=component
--   CHAT_DOMAIN=chat.example
--   CHAT_SERVER=127.0.0.1:5347
--   CHAT_SECRET=change-this-component-secret
--   CHAT_SIGN_IN_SECRET=change-this-sign-in-secret
--
-- What to change: chat.example, both secrets (openssl rand -hex 24; these here are refused), the certificate.
-- With Signalbox on other machines: component_interfaces, signalbox_sign_in_url and CHAT_SERVER, and perhaps
-- http_interfaces and trusted_proxies (docs/OPERATIONS.md, "An existing chat server").

plugin_paths = { "/usr/local/lib/signalbox/prosody" }
data_path = "/var/lib/prosody"
pidfile = "/run/prosody/prosody.pid"

-- epoll by libevent: far more connections than select
network_backend = "event"

modules_enabled = {
	"saslauth"; "tls"; "roster"; "disco"; "ping"; "presence"; "message"; "iq";
	"websocket"; -- XMPP over WebSocket (RFC 7395), at /xmpp-websocket of the HTTP port
	"smacks"; -- streams that go on after a lost connection (XEP-0198)
	"carbons"; "csi"; "blocklist"; "time"; "uptime"; "version"; "limits";
}
modules_disabled = {
	"s2s"; -- users of other servers cannot be called
	"offline"; -- nothing is kept: Signalbox wakes who is away
}

-- As large as Signalbox takes a stanza (XMPP_STANZA_LIMIT): a larger signal would not be copied.
c2s_stanza_size_limit = 64 * 1024
-- What Signalbox sends may be six times as large, since text grows when it is escaped.
component_stanza_size_limit = 512 * 1024
limits = { c2s = { rate = "256kb/s"; burst = "4s" } }

-- Clients
interfaces = { "*", "::" }
c2s_ports = { 5222 }
c2s_direct_tls_ports = { 5223 }
c2s_require_encryption = true
-- A password or a token crosses the network: never without TLS.
allow_unencrypted_plain_auth = false

-- XMPP over WebSocket, behind the proxy that ends TLS and serves wss://chat.example/xmpp-websocket
http_ports = { 5280 }
http_interfaces = { "127.0.0.1", "::1" }
https_ports = {}
consider_websocket_secure = true
http_paths = { websocket = "/xmpp-websocket" }
http_default_host = "chat.example"

-- Components have no TLS (XEP-0114), and this one is trusted with every address of the host: loopback
-- or a private network that nobody else is in.
component_ports = { 5347 }
component_interfaces = { "127.0.0.1" }

log = { info = "/var/log/prosody/prosody.log"; error = "/var/log/prosody/prosody.err" }

VirtualHost "chat.example"
	ssl = {
		certificate = "/etc/prosody/certs/chat.example.crt";
		key = "/etc/prosody/certs/chat.example.key";
	}
	authentication = "signalbox"
	signalbox_sign_in_url = "http://127.0.0.1:4000/chat/sign-in"
	signalbox_sign_in_secret = "change-this-sign-in-secret"
	modules_enabled = { "signalbox_calls" }
	signalbox_component = "calls.chat.example"
	-- Users of two applications exchange nothing, and nobody reaches other local addresses than the host
	-- itself. Name those that are for the users of every application: a room service, an administrator.
	signalbox_shared_addresses = {}

Component "calls.chat.example"
	component_secret = "change-this-component-secret"
	-- Signalbox sends in the names of users: 42-7@chat.example/graphql-12.
	validate_from_addresses = false
