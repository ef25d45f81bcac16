%% Isolates the applications of Signalbox at ejabberd and refuses calls with too many parties.
%%
%% Options, in ejabberd.yml:
%%   component         domain name of the Signalbox component; default: "calls." and the host
%%   shared_addresses  local addresses, besides the host itself, that users of all applications may exchange
%%                     stanzas with: ["conference.chat.example", "admin@chat.example"]
%%
%% 1. Drops every stanza between users of different applications, and between a user and another local
%%    address that is not listed above.
%% 2. Refuses a call of more than four parties before it rings anywhere.
%%
%% The module needs no ejabberd header files, so erlc of erlang-base (a dependency of ejabberd) compiles it.

-module(mod_signalbox).

-export([start/2, stop/1, reload/3, depends/2, mod_options/1, mod_opt_type/1, mod_doc/0]).
-export([user_send/1, route/1]).

-define(PARTIES_MAX, 4).

start(Host, _Options) ->
    %% Before mod_service_log, which would otherwise copy refused stanzas.
    ejabberd_hooks:add(user_send_packet, Host, ?MODULE, user_send, 10),
    ejabberd_hooks:add(filter_packet, ?MODULE, route, 10),
    ok.

stop(Host) ->
    ejabberd_hooks:delete(user_send_packet, Host, ?MODULE, user_send, 10),
    case gen_mod:is_loaded_elsewhere(Host, ?MODULE) of
        true -> ok;
        false -> ejabberd_hooks:delete(filter_packet, ?MODULE, route, 10)
    end,
    ok.

reload(_Host, _New, _Old) -> ok.

depends(_Host, _Options) -> [].

mod_opt_type(component) -> econf:domain();
mod_opt_type(shared_addresses) -> econf:list(econf:binary()).

mod_options(Host) -> [{component, <<"calls.", Host/binary>>}, {shared_addresses, []}].

mod_doc() -> #{}.

%% Stanzas that a client sends; the client gets an error for a refused one.
user_send({Packet, State}) ->
    From = xmpp:get_from(Packet),
    To = xmpp:get_to(Packet),
    case may_pass(From, To) of
        false ->
            Text = <<"There is no such user">>,
            refuse(Packet, State, xmpp:err_item_not_found(Text, <<"en">>));
        true ->
            case count_parties(Packet, From, To) > ?PARTIES_MAX of
                true ->
                    Text = <<"A peer-to-peer call has at most 4 parties">>,
                    refuse(Packet, State, xmpp:err_resource_constraint(Text, <<"en">>));
                false ->
                    {Packet, State}
            end
    end;
user_send(Other) ->
    Other.

refuse(Packet, State, Error) ->
    Answered =
        case lists:member(xmpp:get_type(Packet), [error, result]) of
            true -> State;
            false -> ejabberd_c2s:send(State, xmpp:make_error(Packet, Error))
        end,
    {stop, {drop, Answered}}.

%% All routed stanzas, whatever their origin; refused ones are dropped.
route(drop) ->
    drop;
route(Packet) ->
    case may_pass(xmpp:get_from(Packet), xmpp:get_to(Packet)) of
        true -> Packet;
        false -> drop
    end.

%% A stanza without an address is for the sender's own account or the server.
may_pass(undefined, _) -> true;
may_pass(_, undefined) -> true;
may_pass(From, To) ->
    {From1, To1} = {jid:tolower(From), jid:tolower(To)},
    may_meet(From1, To1) andalso may_meet(To1, From1).

%% Whether an address may exchange stanzas with a peer. Restricts only users of hosts with this module.
may_meet({<<>>, _, _}, _) ->
    true;
may_meet({User, Host, _} = Own, {PeerUser, PeerHost, _} = Peer) ->
    case gen_mod:is_loaded(Host, ?MODULE) of
        false -> true;
        true when PeerHost == Host, PeerUser == <<>> -> true;
        true when PeerHost == Host ->
            Application = application_of(User),
            (Application =/= none andalso Application == application_of(PeerUser))
                orelse is_shared(Host, Own)
                orelse is_shared(Host, Peer);
        true ->
            %% Stanzas of other servers pass only by s2s, which the operator has to enable.
            PeerHost == gen_mod:get_module_opt(Host, ?MODULE, component)
                orelse is_shared(Host, Peer)
                orelse is_shared(Host, {<<>>, PeerHost, <<>>})
                orelse not (ejabberd_router:is_my_host(PeerHost)
                            orelse ejabberd_router:is_my_route(PeerHost))
    end.

is_shared(Host, Address) ->
    Bare = jid:encode(jid:remove_resource(Address)),
    lists:member(Bare, gen_mod:get_module_opt(Host, ?MODULE, shared_addresses)).

%% The application in a user name {user_id}-{application_id}; none for any other name.
application_of(Name) ->
    case re:run(Name, <<"^[1-9][0-9]*-([1-9][0-9]*)$">>, [dollar_endonly, {capture, [1], binary}]) of
        {match, [Application]} -> Application;
        nomatch -> none
    end.

%% The number of distinct users in a call, as Signalbox counts them; 0 for any other stanza.
count_parties(Packet, From, To) when element(1, Packet) == message ->
    case xmpp:get_type(Packet) of
        headline ->
            Calls = [Params || {xmlel, <<"extraParams">>, _, _} = Params <- xmpp:get_els(Packet),
                               is_call(Params)],
            lists:max([0 | [count_named(Params, From, To) || Params <- Calls]]);
        _ ->
            0
    end;
count_parties(_, _, _) ->
    0.

%% Clients may parse more leniently than Signalbox, so any of several identifiers matches, with or without
%% white space around it.
is_call(Params) ->
    lists:member(<<"WebRTCVideoChat">>, [string:trim(Text) || Text <- texts(Params, <<"moduleIdentifier">>)])
        andalso lists:member(<<"call">>, [string:trim(Text) || Text <- texts(Params, <<"signalType">>)]).

count_named(Params, From, To) ->
    Caller = case texts(Params, <<"callerID">>) of [] -> id_of(From); [Id | _] -> Id end,
    Opponents = [Id || {xmlel, _, _, _} = List <- children(Params, <<"opponentsIDs">>),
                       Id <- texts(List, <<"opponentID">>)],
    length(lists:usort([Caller, id_of(To) | Opponents])).

id_of(undefined) ->
    <<>>;
id_of(Address) ->
    {Name, _, _} = jid:tolower(Address),
    hd(binary:split(Name, <<"-">>)).

children({xmlel, _, _, Children}, Name) ->
    [Child || {xmlel, Each, _, _} = Child <- Children, Each == Name].

texts(Element, Name) ->
    [iolist_to_binary([Text || {xmlcdata, Text} <- Children])
     || {xmlel, _, _, Children} <- children(Element, Name)].
