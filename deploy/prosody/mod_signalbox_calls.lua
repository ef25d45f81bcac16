-- Connects the users of this host with the GraphQL users of Signalbox.
--
-- Options, in prosody.cfg.lua, at the VirtualHost:
--   signalbox_component         domain name of the Signalbox component, as "calls.chat.example"
--   signalbox_shared_addresses  local addresses, besides the host itself, that users of all applications may
--                               exchange stanzas with: { "conference.chat.example", "admin@chat.example" }
--
-- 1. Isolates applications: refuses every stanza between users of different applications, and between a user
--    and another local address that is not listed above.
-- 2. Forwards a copy of each call signal of a client to the component (XEP-0297, as ejabberd's
--    mod_service_log does). The message itself is routed as usual.
-- 3. Refuses a call of more than four parties before it rings anywhere.
-- 4. Closes the streams of sessions and users that ended at Signalbox.
-- 5. Escapes the CR of session descriptions, so that the client's parser keeps it.

local destroy_session = require "core.sessionmanager".destroy_session;
local filters = require "util.filters";
local jid = require "util.jid";
local st = require "util.stanza";

local component = module:get_option_string("signalbox_component", "calls." .. module.host);
local xmlns_forward = "urn:xmpp:forward:0";
local xmlns_signalbox = "urn:signalbox:chat:0";

-- Maintained by mod_auth_signalbox.
local signed_in = module:shared("auth_signalbox/signed_in");
local terminated = module:shared("auth_signalbox/terminated");

local shared = module:get_option_set("signalbox_shared_addresses", {});
local parties_max = 4;

-- User and application of an address {user_id}-{application_id} of this host; nil for any other address.
local function user_of(address)
	local node, host = jid.split(address);
	if host ~= module.host or not node then return nil; end
	return node:match("^([1-9]%d*)%-([1-9]%d*)$");
end

-- Whether an address of this host may exchange stanzas with a peer.
local function may_meet(address, peer)
	if not peer or peer == component then return true; end
	local peer_bare = jid.bare(peer);
	local _, peer_host = jid.split(peer);
	if peer_bare == module.host or shared:contains(peer_bare) then return true; end
	if peer_host ~= module.host then
		-- Stanzas of other servers pass only by mod_s2s, which the operator has to enable.
		return peer_host == component or shared:contains(peer_host) or not prosody.hosts[peer_host];
	end
	local _, application = user_of(peer);
	local _, own = user_of(address);
	return shared:contains(jid.bare(address)) or (own ~= nil and own == application);
end

local function refuse(event, kind, condition, text)
	local stanza = event.stanza;
	if stanza.attr.type ~= "error" and stanza.attr.type ~= "result" then
		event.origin.send(st.error_reply(stanza, kind, condition, text));
	end
	return true;
end

-- All stanzas that a client sends or its presence causes, before they are handled. Prosody has already stamped
-- the sender.
module:hook("pre-stanza", function (event)
	local attr = event.stanza.attr;
	if attr.from and not may_meet(attr.from, attr.to) then
		return refuse(event, "cancel", "item-not-found", "There is no such user");
	end
end, 1000);

-- All stanzas to a user, whatever their origin.
local function filter_incoming(event)
	local attr = event.stanza.attr;
	if attr.to and not may_meet(attr.to, attr.from) then
		module:log("debug", "Dropped a stanza from %s to %s: different applications", attr.from, attr.to);
		return true;
	end
end
for _, kind in ipairs({ "message", "presence", "iq" }) do
	module:hook(kind .. "/bare", filter_incoming, 1000);
	module:hook(kind .. "/full", filter_incoming, 1000);
end

local function trimmed(text) return (text or ""):match("^%s*(.-)%s*$"); end

-- The parameters of a call signal. Clients may parse more leniently than Signalbox, so any of several module
-- identifiers matches, with or without white space around it; Signalbox ignores copies that are no signals.
local function params_of(stanza)
	if stanza.attr.type ~= "headline" then return nil; end
	for params in stanza:childtags("extraParams") do
		for identifier in params:childtags("moduleIdentifier") do
			if trimmed(identifier:get_text()) == "WebRTCVideoChat" then return params; end
		end
	end
end

-- The number of distinct users in a call, as Signalbox counts them; 0 for any other signal.
local function count_parties(stanza, params, to)
	if trimmed(params:get_child_text("signalType")) ~= "call" then return 0; end
	local caller = params:get_child_text("callerID") or user_of(stanza.attr.from) or "";
	local parties, count = {}, 0;
	local function add(user)
		if not parties[user] then parties[user], count = true, count + 1; end
	end
	add(caller);
	add((user_of(to)) or "");
	for opponents in params:childtags("opponentsIDs") do
		for opponent in opponents:childtags("opponentID") do add(opponent:get_text() or ""); end
	end
	return count;
end

local function copy(event)
	local stanza = event.stanza;
	local from = stanza.attr.from;
	local params = from and params_of(stanza);
	if not params then return; end
	local to = stanza.attr.to or jid.bare(from);
	if count_parties(stanza, params, to) > parties_max then
		return refuse(event, "wait", "resource-constraint", "A peer-to-peer call has at most 4 parties");
	end
	local inner = st.clone(stanza);
	inner.attr.xmlns = "jabber:client";
	inner.attr.to = to;
	module:send(st.message({ from = module.host, to = component })
		:tag("forwarded", { xmlns = xmlns_forward }):add_child(inner));
end

-- These hooks see messages of clients, not of the component, so the component gets no copies of its own
-- messages. They run before other modules, which may stop the message.
module:hook("pre-message/bare", copy, 100);
module:hook("pre-message/full", copy, 100);
-- A message without an address is for the sender's own account (RFC 6120 section 10.3.1).
module:hook("message/self", copy, 100);

local function close(session)
	session:close({ condition = "not-authorized", text = "The session has ended" });
	-- mod_websocket keeps a disconnected session that waits to be resumed.
	if not session.destroyed then destroy_session(session, "The session has ended"); end
end

-- A termination at Signalbox: <ended session="12"/> or <ended user="42"/>. Only the component may send it.
module:hook("message/host", function (event)
	local origin, stanza = event.origin, event.stanza;
	local ended = stanza:get_child("ended", xmlns_signalbox);
	if not ended or origin.type ~= "component" or stanza.attr.from ~= component then return; end
	local session_id, user_id = tonumber(ended.attr.session), ended.attr.user;
	local function is_user(username) return user_id and username:match("^(%d+)%-") == user_id; end
	if session_id and terminated.sessions then terminated.sessions:set(session_id, true); end
	local closing = {};
	-- Only this table contains streams that are not bound yet. A stream that is not authenticated yet has no
	-- user name; its sign-in fails by the `ended` mark.
	for session, sign_in in pairs(signed_in) do
		if is_user(sign_in.user) or (session_id and sign_in.session == session_id) then
			sign_in.ended = true;
			if session.username then closing[session] = true; end
		end
	end
	-- All bound streams of an ended user, however they were signed in.
	for username, user in pairs(prosody.hosts[module.host].sessions) do
		if is_user(username) then
			for _, session in pairs(user.sessions) do closing[session] = true; end
		end
	end
	for session in pairs(closing) do close(session); end
	return true;
end, 10);

-- An XML parser turns a raw CR LF into LF (XML 1.0 section 2.11), and Prosody does not escape CR. In output to
-- a client, CR occurs only in text.
local function keep_cr(data)
	if type(data) == "string" and data:find("\r", 1, true) then
		return (data:gsub("\r", "&#13;"));
	end
	return data;
end

local function watch_session(session)
	if session.type == "c2s_unauthed" or session.type == "c2s" then
		-- Before mod_websocket frames and mod_compression compresses the data.
		filters.add_filter(session, "bytes/out", keep_cr, 1000);
	end
end

function module.load() filters.add_filter_hook(watch_session); end
function module.unload() filters.remove_filter_hook(watch_session); end
