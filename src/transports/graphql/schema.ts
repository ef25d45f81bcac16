import "reflect-metadata";
import {
  defaultFieldResolver,
  type GraphQLInputObjectType,
  type GraphQLInterfaceType,
  type GraphQLSchema,
  isIntrospectionType,
  isNonNullType,
  isObjectType,
} from "graphql";
import { buildSchemaSync, type NonEmptyArray, type PubSub } from "type-graphql";
import type { AllowedCallers } from "../../core/viewer";
import type { FieldVisibility } from "../../domain/access/visible-to";
import { AccountResolver } from "../../domain/accounts/account.resolver";
import { InvitationResolver } from "../../domain/accounts/invitation.resolver";
import { AccountMembersResolver, MemberResolver } from "../../domain/accounts/member.resolver";
import { MemberSessionResolver } from "../../domain/accounts/member-session.resolver";
import { ApiKeyResolver, ApplicationApiKeysResolver } from "../../domain/api-keys/api-key.resolver";
import {
  AccountFieldsResolver,
  ApplicationResolver,
} from "../../domain/applications/application.resolver";
import { AuditResolver } from "../../domain/audit/audit.resolver";
import { EndCallResolver } from "../../domain/calls/end-call.resolver";
import {
  ApplicationCallsResolver,
  CallFieldsResolver,
  CallResolver,
} from "../../domain/calls/history/call.resolver";
import { IceServerResolver } from "../../domain/calls/ice/ice-server.resolver";
import { SignalPartyResolver, SignalResolver } from "../../domain/calls/signal.resolver";
import { SIGNAL_CLASSES, signalTypeName } from "../../domain/calls/signals/signal.type";
import { ConferenceInvitationResolver } from "../../domain/conferences/invitations/invitation.resolver";
import { CONFERENCE_EVENT_CLASSES } from "../../domain/conferences/membership/event.type";
import { ConferenceMediaResolver } from "../../domain/conferences/membership/media.resolver";
import { MembershipResolver } from "../../domain/conferences/membership/membership.resolver";
import {
  ApplicationConferencesResolver,
  ConferenceChangesResolver,
} from "../../domain/conferences/rooms/application-conferences.resolver";
import {
  ConferenceFieldsResolver,
  ConferenceResolver,
} from "../../domain/conferences/rooms/conference.resolver";
import { ConferenceLinkResolver } from "../../domain/conferences/rooms/link.resolver";
import { HealthResolver } from "../../domain/health/health.resolver";
import { PasswordResetResolver } from "../../domain/password-reset/password-reset.resolver";
import {
  AccountCredentialsResolver,
  ApplicationCredentialsResolver,
  PushCredentialsResolver,
} from "../../domain/push/credentials/push-credentials.resolver";
import {
  ApplicationDeliveriesResolver,
  PushDeliveryResolver,
  PushDeliveryStreamResolver,
} from "../../domain/push/delivery/push-delivery.resolver";
import {
  ApplicationDevicesResolver,
  PushSubscriptionResolver,
} from "../../domain/push/devices/push-subscription.resolver";
import { ApplicationPushResolver } from "../../domain/push/events/application-push.resolver";
import {
  PushEventFieldsResolver,
  PushEventResolver,
} from "../../domain/push/events/push-event.resolver";
import { SessionResolver } from "../../domain/sessions/session.resolver";
import {
  ApplicationSessionsResolver,
  SessionConnectionResolver,
  SessionListResolver,
} from "../../domain/sessions/session-list.resolver";
import { SocketRenewalResolver } from "../../domain/sessions/socket-renewal.resolver";
import { ProviderCheckResolver } from "../../domain/sign-in/provider-check.resolver";
import {
  AccountStatisticsResolver,
  ActivityResolver,
  ApplicationStatisticsResolver,
} from "../../domain/statistics/statistics.resolver";
import { BlockResolver } from "../../domain/users/block.resolver";
import {
  ApplicationUsersResolver,
  UserConnectionResolver,
  UserListResolver,
} from "../../domain/users/lists/user-list.resolver";
import { UserPageResolver } from "../../domain/users/lists/user-page.resolver";
import { UserResolver } from "../../domain/users/user.resolver";
import { UserExportResolver } from "../../domain/users/user-export.resolver";
import { WebSessionResolver } from "../../domain/web-sessions/web-session.resolver";
import type { OperationLimit } from "../../platform/limits/rate-limits";
import { withErrorCodes } from "./error-code";
import { allowedCallers, guard, type RootField, refuseInLists } from "./guard";
import { publishedSchema } from "./published-schema";
import { DateTime } from "./scalars";
import { applyTextRule } from "./text-rule";

const RESOLVERS: NonEmptyArray<new () => object> = [
  SessionResolver,
  SessionListResolver,
  SessionConnectionResolver,
  WebSessionResolver,
  SocketRenewalResolver,
  UserResolver,
  BlockResolver,
  UserExportResolver,
  UserListResolver,
  UserConnectionResolver,
  UserPageResolver,
  PasswordResetResolver,
  AccountResolver,
  MemberSessionResolver,
  AccountMembersResolver,
  MemberResolver,
  InvitationResolver,
  ApplicationResolver,
  AccountFieldsResolver,
  ApiKeyResolver,
  ApplicationApiKeysResolver,
  AuditResolver,
  ApplicationUsersResolver,
  ApplicationSessionsResolver,
  PushCredentialsResolver,
  AccountCredentialsResolver,
  ApplicationCredentialsResolver,
  ProviderCheckResolver,
  EndCallResolver,
  SignalResolver,
  SignalPartyResolver,
  CallResolver,
  CallFieldsResolver,
  ApplicationCallsResolver,
  IceServerResolver,
  PushSubscriptionResolver,
  ApplicationDevicesResolver,
  PushEventResolver,
  PushEventFieldsResolver,
  ApplicationPushResolver,
  ApplicationDeliveriesResolver,
  PushDeliveryResolver,
  PushDeliveryStreamResolver,
  ConferenceResolver,
  ConferenceFieldsResolver,
  ConferenceLinkResolver,
  ApplicationConferencesResolver,
  ConferenceChangesResolver,
  MembershipResolver,
  ConferenceMediaResolver,
  ConferenceInvitationResolver,
  HealthResolver,
  ApplicationStatisticsResolver,
  AccountStatisticsResolver,
  ActivityResolver,
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
 * Builds the schema of the REST documents, which has all members. Every operation declares who may run it, which is
 * checked before it runs, over any protocol.
 * @throws Error if an operation declares none
 */
function buildRestSchema(): GraphQLSchema {
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
  for (const [name, field] of fieldsOf(schema)) {
    restrict(name, field);
    if (name.startsWith("Application.")) refuseInLists(field, "ask Query.application for it");
  }
  return schema;
}

/** Builds the published schema, which clients use: without the members that are marked by `@Legacy`. */
export function buildSignalboxSchema(): GraphQLSchema {
  return publishedSchema(buildRestSchema());
}

let rest: GraphQLSchema | undefined;
let published: GraphQLSchema | undefined;

/** The schema of the REST documents. Like the published one, it is built once per process because building is slow. */
export function restSchema(): GraphQLSchema {
  rest ??= buildRestSchema();
  return rest;
}

/** The published schema. It shares the resolvers of {@link restSchema}. */
export function signalboxSchema(): GraphQLSchema {
  published ??= publishedSchema(restSchema());
  return published;
}

/** Who may run each operation, by `Query.name`, `Mutation.name` or `Subscription.name`. */
export function accessTable(schema: GraphQLSchema): Map<string, AllowedCallers> {
  return new Map(operations(schema).map(([name, field]) => [name, allowedCallers(name, field)]));
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

/** All fields of the object types, by `Type.name`. */
function fieldsOf(schema: GraphQLSchema): Array<[name: string, field: RootField]> {
  return Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type) && !isIntrospectionType(type)
      ? Object.values(type.getFields()).map((field): [string, RootField] => [
          `${type.name}.${field.name}`,
          field,
        ])
      : [],
  );
}

/** Who sees a field that is marked by `@VisibleTo`; undefined for one that everybody sees. */
export function visibilityOf({
  extensions,
}: Pick<RootField, "extensions">): FieldVisibility | undefined {
  return (extensions as { visibleTo?: FieldVisibility }).visibleTo;
}

/** Makes a field null for those who do not see it. */
function restrict(name: string, field: RootField): void {
  const visibility = visibilityOf(field);
  if (visibility === undefined) return;
  if (isNonNullType(field.type)) throw new Error(`${name} is null for some and must be nullable`);
  const { role, applicationOf } = visibility;
  const resolve = field.resolve ?? defaultFieldResolver;
  field.resolve = async (...args) => {
    const [object, , { auth }] = args;
    const applicationId = applicationOf === null ? null : applicationOf(object as object);
    if (applicationOf !== null && applicationId === null) return null;
    return (await auth.maySee(role, applicationId)) ? resolve(...args) : null;
  };
}

function operations(schema: GraphQLSchema): Array<[name: string, field: RootField]> {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  return roots.flatMap((root) =>
    Object.values(root?.getFields() ?? {}).map((field): [string, RootField] => [
      `${root?.name}.${field.name}`,
      field,
    ]),
  );
}
