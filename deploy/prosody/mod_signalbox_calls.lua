-- Joins the users of this host with the GraphQL users of Signalbox.
--
-- Option, in prosody.cfg.lua, at the VirtualHost:
--   signalbox_component  name of the component that Signalbox attaches as, as "calls.chat.example"
--
-- 1. Copies each call signal that a client sends here to the component (XEP-0297, as ejabberd's
--    mod_service_log does). The message itself goes its usual way.
-- 2. Refuses call signals from one application to another.
-- 3. Closes the streams of sessions and users that ended at Signalbox.
-- 4. Writes the CR of a session description so that it outlives the client's parser.

local destroy_session = require "core.sessionmanager".destroy_session;
local filters = require "util.filters";
local jid = require "util.jid";
local st = require "util.stanza";

local component = module:get_option_string("signalbox_component", "calls." .. module.host);
local xmlns_forward = "urn:xmpp:forward:0";
local xmlns_signalbox = "urn:signalbox:chat:0";

-- Kept by mod_auth_signalbox.
local signed_in = module:shared("auth_signalbox/signed_in");
local endings = module:shared("auth_signalbox/endings");

local function is_call_signal(stanza)
	if stanza.attr.type ~= "headline" then return false; end
	for params in stanza:childtags("extraParams") do
		if params:get_child_text("moduleIdentifier") == "WebRTCVideoChat" then return true; end
	end
	return false;
end

-- The application of a user of this host, {user_id}-{application_id}; nil for anybody else.
local function application_of(address)
	local node, host = jid.split(address);
	if host ~= module.host or not node then return nil; end
	return node:match("^%d+%-(%d+)$");
end

local function copy(event)
	local stanza = event.stanza;
	-- Prosody has stamped the sender by now.
	local from = stanza.attr.from;
	if not from or not is_call_signal(stanza) then return; end
	local to = stanza.attr.to or jid.bare(from);
	local target = application_of(to);
	if target and target ~= application_of(from) then
		event.origin.send(st.error_reply(stanza, "cancel", "item-not-found", "There is no such user"));
		return true;
	end
	local inner = st.clone(stanza);
	inner.attr.xmlns = "jabber:client";
	inner.attr.to = to;
	module:send(st.message({ from = module.host, to = component })
		:tag("forwarded", { xmlns = xmlns_forward }):add_child(inner));
end

-- What a client sends passes here before it is routed; what the component sends does not, so that no
-- copy of it goes back. Before other modules, which may keep the message from going on.
module:hook("pre-message/bare", copy, 100);
module:hook("pre-message/full", copy, 100);
-- A message without an address is one to oneself (RFC 6120 section 10.3.1).
module:hook("message/self", copy, 100);

local function close(session)
	session:close({ condition = "not-authorized", text = "The session has ended" });
	-- mod_websocket leaves one that waits without a connection to be resumed.
	if not session.destroyed then destroy_session(session, "The session has ended"); end
end

-- What ended at Signalbox: <ended session="12"/> or <ended user="42"/>. The component alone may say so.
module:hook("message/host", function (event)
	local origin, stanza = event.origin, event.stanza;
	local ended = stanza:get_child("ended", xmlns_signalbox);
	if not ended or origin.type ~= "component" or stanza.attr.from ~= component then return; end
	local session_id, user_id = tonumber(ended.attr.session), ended.attr.user;
	local function is_user(username) return user_id and username:match("^(%d+)%-") == user_id; end
	if session_id and endings.sessions then endings.sessions:set(session_id, true); end
	local closing = {};
	-- Streams that are not bound yet are found here alone. One that still waits to be let in is not.
	for session, sign_in in pairs(signed_in) do
		if is_user(sign_in.user) or (session_id and sign_in.session == session_id) then
			sign_in.ended = true;
			if session.username then closing[session] = true; end
		end
	end
	-- However they were signed in.
	for username, user in pairs(prosody.hosts[module.host].sessions) do
		if is_user(username) then
			for _, session in pairs(user.sessions) do closing[session] = true; end
		end
	end
	for session in pairs(closing) do close(session); end
	return true;
end, 10);

-- An XML parser turns a raw CR LF into LF (XML 1.0 section 2.11), and Prosody writes the CR raw. In what
-- goes to a client a CR stands in text alone.
local function keep_cr(data)
	if type(data) == "string" and data:find("\r", 1, true) then
		return (data:gsub("\r", "&#13;"));
	end
	return data;
end

local function watch_session(session)
	if session.type == "c2s_unauthed" or session.type == "c2s" then
		-- Before mod_websocket makes a frame of it, and compression anything else.
		filters.add_filter(session, "bytes/out", keep_cr, 1000);
	end
end

function module.load() filters.add_filter_hook(watch_session); end
function module.unload() filters.remove_filter_hook(watch_session); end
