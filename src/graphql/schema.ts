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
import { AccountResolver } from "../accounts/account.resolver";
import { AccountSettingsResolver } from "../accounts/account-settings.resolver";
import { InvitationResolver } from "../accounts/invitation.resolver";
import { AccountMembersResolver, MemberResolver } from "../accounts/member.resolver";
import { OwnerSessionResolver } from "../accounts/owner-session.resolver";
import { ApplicationResolver } from "../admin/application.resolver";
import {
  AccountFieldsResolver,
  ApplicationFieldsResolver,
  ApplicationSessionsResolver,
  ApplicationUsersResolver,
} from "../admin/application-fields.resolver";
import { ApplicationUserResolver } from "../admin/application-user.resolver";
import { AuditResolver } from "../audit/audit.resolver";
import { CallHistoryResolver } from "../calls/history/call.resolver";
import {
  ApplicationCallFieldsResolver,
  ApplicationCallStreamResolver,
  ApplicationCallsResolver,
} from "../calls/history/owners/application-call.resolver";
import { IceServerResolver } from "../calls/ice/ice-server.resolver";
import { SignalPartyResolver, SignalResolver } from "../calls/signal.resolver";
import { SIGNAL_CLASSES, signalTypeName } from "../calls/signals/signal.type";
import { ConferenceInvitationResolver } from "../conferences/invitations/invitation.resolver";
import { CONFERENCE_EVENT_CLASSES } from "../conferences/membership/event.type";
import { ConferenceMediaResolver } from "../conferences/membership/media.resolver";
import { MembershipResolver } from "../conferences/membership/membership.resolver";
import {
  ApplicationConferenceFieldsResolver,
  ApplicationConferenceMemberResolver,
  ApplicationConferenceStreamResolver,
  ApplicationConferencesResolver,
  ListedApplicationConferenceResolver,
} from "../conferences/owners/application-conferences.resolver";
import { ApplicationModerationResolver } from "../conferences/owners/application-moderation.resolver";
import {
  ConferenceFieldsResolver,
  ConferenceResolver,
} from "../conferences/rooms/conference.resolver";
import { ConferenceLinkResolver } from "../conferences/rooms/link.resolver";
import type { Access } from "../core/viewer";
import { HealthResolver } from "../health/health.resolver";
import type { OperationLimit } from "../limits/rate-limits";
import { PasswordResetResolver } from "../password-reset/password-reset.resolver";
import {
  AccountCredentialsResolver,
  ApplicationCredentialsResolver,
  PushCredentialsResolver,
} from "../push/credentials/push-credentials.resolver";
import {
  PushDeliveryResolver,
  PushDeliveryStreamResolver,
} from "../push/delivery/push-delivery.resolver";
import { PushSubscriptionResolver } from "../push/devices/push-subscription.resolver";
import { PushEventFieldsResolver, PushEventResolver } from "../push/events/push-event.resolver";
import { ApplicationPushEventResolver } from "../push/owners/application-event.resolver";
import { ApplicationPushResolver } from "../push/owners/application-push.resolver";
import { SessionResolver } from "../sessions/session.resolver";
import { SessionListResolver } from "../sessions/session-list.resolver";
import { SocketRenewalResolver } from "../sessions/socket-renewal.resolver";
import { ProviderCheckResolver } from "../sign-in/provider-check.resolver";
import {
  AccountStatisticsResolver,
  ActivityResolver,
  ApplicationStatisticsResolver,
} from "../statistics/statistics.resolver";
import { UserConnectionResolver, UserListResolver } from "../users/lists/user-list.resolver";
import { UserPageResolver } from "../users/lists/user-page.resolver";
import { UserResolver } from "../users/user.resolver";
import { WebSessionResolver } from "../web-sessions/web-session.resolver";
import { withErrorCodes } from "./error-code";
import { accessOf, guard, type RootField } from "./guard";
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
  OwnerSessionResolver,
  AccountMembersResolver,
  MemberResolver,
  InvitationResolver,
  ApplicationResolver,
  ApplicationFieldsResolver,
  AccountFieldsResolver,
  AuditResolver,
  ApplicationUsersResolver,
  ApplicationSessionsResolver,
  ApplicationUserResolver,
  PushCredentialsResolver,
  AccountCredentialsResolver,
  ApplicationCredentialsResolver,
  ProviderCheckResolver,
  SignalResolver,
  SignalPartyResolver,
  CallHistoryResolver,
  ApplicationCallsResolver,
  ApplicationCallFieldsResolver,
  ApplicationCallStreamResolver,
  IceServerResolver,
  PushSubscriptionResolver,
  PushEventResolver,
  PushEventFieldsResolver,
  ApplicationPushEventResolver,
  ApplicationPushResolver,
  PushDeliveryResolver,
  PushDeliveryStreamResolver,
  ConferenceResolver,
  ConferenceFieldsResolver,
  ConferenceLinkResolver,
  ApplicationConferencesResolver,
  ApplicationConferenceFieldsResolver,
  ApplicationConferenceMemberResolver,
  ApplicationConferenceStreamResolver,
  ListedApplicationConferenceResolver,
  ApplicationModerationResolver,
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
  for (const [name, field] of fieldsOf(schema)) if (isSecret(field)) hide(name, field);
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

/** Whether a field is marked by `@SecretField`. */
export function isSecret({ extensions }: Pick<RootField, "extensions">): boolean {
  return extensions.secret === true;
}

/** Makes a secret null for everybody but members with the role developer or owner. */
function hide(name: string, field: RootField): void {
  if (isNonNullType(field.type)) throw new Error(`${name} is a secret and must be nullable`);
  const resolve = field.resolve ?? defaultFieldResolver;
  field.resolve = async (...args) =>
    (await args[2].auth.maySeeSecrets()) ? resolve(...args) : null;
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
