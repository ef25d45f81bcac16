-- Authenticates users with Signalbox, by password or session token.
--
-- Options, in prosody.cfg.lua:
--   signalbox_sign_in_url     the auth endpoint of Signalbox, as "http://127.0.0.1:4000/chat/sign-in"
--   signalbox_sign_in_secret  CHAT_SIGN_IN_SECRET of Signalbox
--
-- The user name is {user_id}-{application_id}. Nothing is cached, so changed passwords and ended sessions
-- are refused at once.

local async = require "util.async";
local cache = require "util.cache";
local http = require "net.http";
local json = require "util.json";
local new_sasl = require "util.sasl".new;

local url = module:get_option_string("signalbox_sign_in_url", "http://127.0.0.1:4000/chat/sign-in");
local secret = assert(module:get_option_string("signalbox_sign_in_secret"),
	"signalbox_sign_in_secret is missing: the CHAT_SIGN_IN_SECRET of Signalbox");

local provider = {};

-- The sign-in of each stream, bound or not: { user = "42-7", session = 12 }, with the session of a token.
-- mod_signalbox_calls closes the streams of ended sessions and users.
local signed_in = module:shared("signed_in");
setmetatable(signed_in, { __mode = "k" });
-- Recently ended sessions: a response in flight may still allow one of them.
local terminated = module:shared("terminated");
terminated.sessions = terminated.sessions or cache.new(10000);

-- Returns whether the credentials are valid, and the session of a token.
local function authenticate(username, password, ip)
	local response, problem = async.wait_for(http.request(url, {
		headers = {
			["Content-Type"] = "application/json";
			["Authorization"] = "Bearer " .. secret;
		};
		body = json.encode({ user = username; password = password; ip = ip });
	}));
	if not response or response.code ~= 200 then
		module:log("warn", "Signalbox cannot check credentials: %s", response and response.code or problem);
		return false;
	end
	local answer = json.decode(response.body);
	if not answer or answer.allowed ~= true then return false; end
	return true, type(answer.session) == "number" and answer.session or nil;
end

function provider.test_password(username, password)
	return authenticate(username, password) or nil;
end

-- Only the form of the name is checked, so that the result does not reveal which users exist.
function provider.user_exists(username)
	return username:match("^[1-9]%d*%-[1-9]%d*$") ~= nil;
end

local function unsupported() return nil, "Signalbox manages the accounts"; end
provider.get_password, provider.set_password = unsupported, unsupported;
provider.create_user, provider.delete_user = unsupported, unsupported;

-- PLAIN only: SCRAM needs a stored password, which a session token does not have.
function provider.get_sasl_handler(session)
	return new_sasl(module.host, {
		plain_test = function (_, username, password)
			local sign_in = { user = username };
			signed_in[session] = sign_in;
			local allowed, token_session = authenticate(username, password, session.ip);
			local ended = sign_in.ended or (token_session and terminated.sessions:get(token_session));
			if not allowed or ended then
				signed_in[session] = nil;
				return false, true;
			end
			sign_in.session = token_session;
			return true, true;
		end;
	});
end

-- A resumed stream (XEP-0198) belongs to the sign-in of the connection that resumed it.
module:hook("smacks-hibernation-end", function (event)
	signed_in[event.resumed], signed_in[event.origin] = signed_in[event.origin], nil;
end);

module:provides("auth", provider);
