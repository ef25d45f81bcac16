-- Prosody 0.12 with Signalbox: chat clients sign in here and have calls with the GraphQL users of Signalbox.
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
-- What to change: chat.example, both secrets (openssl rand -hex 24; Signalbox refuses the ones below), the
-- certificate. With Signalbox on other machines: component_interfaces, signalbox_sign_in_url and CHAT_SERVER,
-- and perhaps http_interfaces and trusted_proxies (docs/OPERATIONS.md, "An existing chat server").

plugin_paths = { "/usr/local/lib/signalbox/prosody" }
data_path = "/var/lib/prosody"
pidfile = "/run/prosody/prosody.pid"

-- epoll by libevent: supports far more connections than select
network_backend = "event"

modules_enabled = {
	"saslauth"; "tls"; "roster"; "disco"; "ping"; "presence"; "message"; "iq";
	"websocket"; -- XMPP over WebSocket (RFC 7395), at /xmpp-websocket of the HTTP port
	"smacks"; -- stream resumption after a lost connection (XEP-0198)
	"carbons"; "csi"; "blocklist"; "time"; "uptime"; "version"; "limits";
}
modules_disabled = {
	"s2s"; -- users of other servers cannot be called
	"offline"; -- nothing is stored: Signalbox sends push notifications to offline users
}

-- XMPP_STANZA_LIMIT of Signalbox, which ignores copies of larger signals.
c2s_stanza_size_limit = 64 * 1024
-- Stanzas of Signalbox may be six times as large, since escaping lengthens the text.
component_stanza_size_limit = 512 * 1024
limits = { c2s = { rate = "256kb/s"; burst = "4s" } }

-- Clients
interfaces = { "*", "::" }
c2s_ports = { 5222 }
c2s_direct_tls_ports = { 5223 }
c2s_require_encryption = true
-- PLAIN sends a password or a token: never without TLS.
allow_unencrypted_plain_auth = false

-- XMPP over WebSocket, behind a proxy that terminates TLS and serves wss://chat.example/xmpp-websocket
http_ports = { 5280 }
http_interfaces = { "127.0.0.1", "::1" }
https_ports = {}
consider_websocket_secure = true
http_paths = { websocket = "/xmpp-websocket" }
http_default_host = "chat.example"

-- Components have no TLS (XEP-0114), and this one may send from every address of the host: use loopback or a
-- private network without other users.
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
	-- Users of different applications cannot exchange stanzas, and the host is the only other local address
	-- that users can reach. List further addresses that all users may reach, such as a conference service or
	-- an administrator.
	signalbox_shared_addresses = {}

Component "calls.chat.example"
	component_secret = "change-this-component-secret"
	-- Signalbox sends on behalf of users: 42-7@chat.example/graphql-12.
	validate_from_addresses = false
