-- Signs users in through Signalbox: by the account's password or by a session token.
--
-- Options, in prosody.cfg.lua:
--   signalbox_sign_in_url     where Signalbox answers, as "http://127.0.0.1:4000/chat/sign-in"
--   signalbox_sign_in_secret  the same as CHAT_SIGN_IN_SECRET there
--
-- The name is {user_id}-{application_id}. Nothing is cached, so that a password that changed and a
-- session that ended open nothing from then on.

local async = require "util.async";
local cache = require "util.cache";
local http = require "net.http";
local json = require "util.json";
local new_sasl = require "util.sasl".new;

local url = module:get_option_string("signalbox_sign_in_url", "http://127.0.0.1:4000/chat/sign-in");
local secret = assert(module:get_option_string("signalbox_sign_in_secret"),
	"signalbox_sign_in_secret is missing: the CHAT_SIGN_IN_SECRET of Signalbox");

local provider = {};

-- Who signed in each stream, bound or not: { user = "42-7", session = 12 }, the session of a token.
-- mod_signalbox_calls closes the streams of what ends.
local signed_in = module:shared("signed_in");
setmetatable(signed_in, { __mode = "k" });
-- Sessions that ended, which a question under way may not have found ended yet.
local endings = module:shared("endings");
endings.sessions = endings.sessions or cache.new(10000);

-- Asks Signalbox. Answers whether the user may sign in, and the session of a token.
local function ask(username, password, ip)
	local response, problem = async.wait_for(http.request(url, {
		headers = {
			["Content-Type"] = "application/json";
			["Authorization"] = "Bearer " .. secret;
		};
		body = json.encode({ user = username; password = password; ip = ip });
	}));
	if not response or response.code ~= 200 then
		module:log("warn", "Signalbox does not say who may sign in: %s", response and response.code or problem);
		return false;
	end
	local answer = json.decode(response.body);
	if not answer or answer.allowed ~= true then return false; end
	return true, type(answer.session) == "number" and answer.session or nil;
end

function provider.test_password(username, password)
	return ask(username, password) or nil;
end

-- A name is not looked up: who may sign in is told by its secret alone, and nobody by the answer.
function provider.user_exists(username)
	return username:match("^[1-9]%d*%-[1-9]%d*$") ~= nil;
end

-- Accounts are made and changed at Signalbox.
local function elsewhere() return nil, "Accounts are kept by Signalbox"; end
provider.get_password, provider.set_password = elsewhere, elsewhere;
provider.create_user, provider.delete_user = elsewhere, elsewhere;

-- PLAIN alone: a session token is no password that SCRAM could have stored.
function provider.get_sasl_handler(session)
	return new_sasl(module.host, {
		plain_test = function (_, username, password)
			local sign_in = { user = username };
			signed_in[session] = sign_in;
			local allowed, token_session = ask(username, password, session.ip);
			local ended = sign_in.ended or (token_session and endings.sessions:get(token_session));
			if not allowed or ended then
				signed_in[session] = nil;
				return false, true;
			end
			sign_in.session = token_session;
			return true, true;
		end;
	});
end

-- A stream that goes on (XEP-0198) belongs to whoever signed in the connection that it goes on over.
module:hook("smacks-hibernation-end", function (event)
	signed_in[event.resumed], signed_in[event.origin] = signed_in[event.origin], nil;
end);

module:provides("auth", provider);
