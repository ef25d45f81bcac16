import "reflect-metadata";
import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLInputObjectType,
  type GraphQLInterfaceType,
  type GraphQLSchema,
} from "graphql";
import { buildSchemaSync, type NonEmptyArray, type PubSub } from "type-graphql";
import type { RequestContext } from "../access/request-context";
import { AccountResolver } from "../accounts/account.resolver";
import { AccountSettingsResolver } from "../accounts/account-settings.resolver";
import { ApplicationResolver } from "../admin/application.resolver";
import {
  AccountFieldsResolver,
  ApplicationFieldsResolver,
  ApplicationSessionsResolver,
  ApplicationUsersResolver,
} from "../admin/application-fields.resolver";
import { CallHistoryResolver } from "../calls/history/call.resolver";
import { IceServerResolver } from "../calls/ice/ice-server.resolver";
import { SignalPartyResolver, SignalResolver } from "../calls/signal.resolver";
import { SIGNAL_CLASSES, signalTypeName } from "../calls/signals/signal.type";
import { ConferenceInvitationResolver } from "../conferences/invitations/invitation.resolver";
import { CONFERENCE_EVENT_CLASSES } from "../conferences/membership/event.type";
import { ConferenceMediaResolver } from "../conferences/membership/media.resolver";
import { MembershipResolver } from "../conferences/membership/membership.resolver";
import { ApplicationConferencesResolver } from "../conferences/rooms/application-conferences.resolver";
import {
  ConferenceFieldsResolver,
  ConferenceResolver,
} from "../conferences/rooms/conference.resolver";
import { ConferenceLinkResolver } from "../conferences/rooms/link.resolver";
import type { Access } from "../core/viewer";
import type { OperationLimit } from "../limits/rate-limits";
import { PasswordResetResolver } from "../password-reset/password-reset.resolver";
import {
  ApplicationCredentialsResolver,
  PushCredentialsResolver,
} from "../push/credentials/push-credentials.resolver";
import {
  PushDeliveryResolver,
  PushDeliveryStreamResolver,
} from "../push/delivery/push-delivery.resolver";
import { PushSubscriptionResolver } from "../push/devices/push-subscription.resolver";
import { ApplicationPushEventResolver } from "../push/events/application-event.resolver";
import { PushEventFieldsResolver, PushEventResolver } from "../push/events/push-event.resolver";
import { SessionResolver } from "../sessions/session.resolver";
import { SessionListResolver } from "../sessions/session-list.resolver";
import { SocketRenewalResolver } from "../sessions/socket-renewal.resolver";
import { UserConnectionResolver, UserListResolver } from "../users/lists/user-list.resolver";
import { UserPageResolver } from "../users/lists/user-page.resolver";
import { UserResolver } from "../users/user.resolver";
import { WebSessionResolver } from "../web-sessions/web-session.resolver";
import { withErrorCodes } from "./error-code";
import { DateTime } from "./scalars";
import { applyTextRule } from "./text-rule";

const RESOLVERS: NonEmptyArray<new () => object> = [
  SessionResolver,
  SessionListResolver,
  WebSessionResolver,
  SocketRenewalResolver,
  UserResolver,
  UserListResolver,
  UserConnectionResolver,
  UserPageResolver,
  AccountSettingsResolver,
  PasswordResetResolver,
  AccountResolver,
  ApplicationResolver,
  ApplicationFieldsResolver,
  AccountFieldsResolver,
  ApplicationUsersResolver,
  ApplicationSessionsResolver,
  PushCredentialsResolver,
  ApplicationCredentialsResolver,
  SignalResolver,
  SignalPartyResolver,
  CallHistoryResolver,
  IceServerResolver,
  PushSubscriptionResolver,
  PushEventResolver,
  PushEventFieldsResolver,
  ApplicationPushEventResolver,
  PushDeliveryResolver,
  PushDeliveryStreamResolver,
  ConferenceResolver,
  ConferenceFieldsResolver,
  ConferenceLinkResolver,
  ApplicationConferencesResolver,
  MembershipResolver,
  ConferenceMediaResolver,
  ConferenceInvitationResolver,
];

/** type-graphql requires a PubSub, but every subscription here provides its own stream. */
const NO_TOPICS: PubSub = {
  publish: refuseTopics,
  subscribe: refuseTopics,
};

function refuseTopics(): never {
  throw new Error("subscriptions of this schema have no topics");
}

/** @oneOf inputs; type-graphql has no decorator for them yet. */
const ONE_OF = ["UserKey", "DeleteUserInput", "SignalInput", "PushMessageInput"];

/**
 * Builds the schema. Every operation declares the access it requires, which is checked before it runs, over
 * any protocol.
 * @throws Error if an operation declares none
 */
export function buildSignalboxSchema(): GraphQLSchema {
  const generated = buildSchemaSync({
    resolvers: RESOLVERS,
    orphanedTypes: [...SIGNAL_CLASSES, ...CONFERENCE_EVENT_CLASSES],
    scalarsMap: [{ type: Date, scalar: DateTime }],
    validate: false,
    pubSub: NO_TOPICS,
  });
  const schema = withErrorCodes(generated);
  // type-graphql wraps resolveType in a promise, which compiled operations do not wait for.
  (schema.getType("Signal") as GraphQLInterfaceType).resolveType = signalTypeName;
  (schema.getType("ConferenceEvent") as GraphQLInterfaceType).resolveType = (event) =>
    event.constructor.name;
  for (const name of ONE_OF) (schema.getType(name) as GraphQLInputObjectType).isOneOf = true;
  applyTextRule(schema);
  for (const [name, field] of operations(schema)) guard(name, field);
  return schema;
}

let built: GraphQLSchema | undefined;

/** The schema, built once per process because building is slow. */
export function signalboxSchema(): GraphQLSchema {
  built ??= buildSignalboxSchema();
  return built;
}

/** The access that each operation requires, by `Query.name`, `Mutation.name` or `Subscription.name`. */
export function accessTable(schema: GraphQLSchema): Map<string, Access> {
  return new Map(operations(schema).map(([name, field]) => [name, accessOf(name, field)]));
}

/**
 * The limit of each operation that counts against one besides `request`, by name as in {@link accessTable}.
 */
export function limitTable(schema: GraphQLSchema): Map<string, OperationLimit> {
  return new Map(
    operations(schema).flatMap(([name, { extensions }]) => {
      const { limit } = extensions as { limit?: OperationLimit };
      return limit === undefined ? [] : [[name, limit] as const];
    }),
  );
}

type RootField = GraphQLField<unknown, RequestContext>;

function operations(schema: GraphQLSchema): Array<[name: string, field: RootField]> {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  return roots.flatMap((root) =>
    Object.values(root?.getFields() ?? {}).map((field): [string, RootField] => [
      `${root?.name}.${field.name}`,
      field,
    ]),
  );
}

function accessOf(name: string, field: RootField): Access {
  const { access } = field.extensions as { access?: Access };
  if (access === undefined) throw new Error(`${name} does not declare its access (@Allow)`);
  return access;
}

/**
 * Checks limits and access before a root field runs, for every protocol and once per alias, so that neither
 * bypasses a limit. The request itself was counted on arrival, and its further fields by the engine.
 */
function guard(name: string, field: RootField): void {
  const access = accessOf(name, field);
  const { limit } = field.extensions as { limit?: OperationLimit };
  const guarded =
    (resolve: GraphQLFieldResolver<unknown, RequestContext>) =>
    async (...args: Parameters<GraphQLFieldResolver<unknown, RequestContext>>) => {
      const { auth, caller, limits } = args[2];
      if (limit !== undefined) {
        // Local limits return synchronously; awaiting them would cost an event loop turn.
        const counting = limits.countForAddress(limit, caller.ip);
        if (counting) await counting;
      }
      // A public operation resolves its application itself.
      if (access === "public") return resolve(...args);
      await auth.require(access);
      // Account owners belong to no application; their address has been counted.
      if (access === "account") return resolve(...args);
      const applicationId = await auth.applicationId();
      limits.countForApplication("request", applicationId);
      if (limit !== undefined) {
        const counting = limits.countForApplication(limit, applicationId);
        if (counting) await counting;
      }
      return resolve(...args);
    };
  // A subscription is checked once, not for each event.
  if (field.subscribe) field.subscribe = guarded(field.subscribe);
  else field.resolve = guarded(field.resolve ?? defaultFieldResolver);
}
