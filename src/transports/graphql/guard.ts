import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLFieldResolver,
  type ResponsePath,
} from "graphql";
import { Fault } from "../../core/errors";
import type { AllowedCallers, ApiKeyScope } from "../../core/viewer";
import type { AuditContext } from "../../domain/audit/entries/audit-entry";
import { auditMutation } from "../../domain/audit/entries/audited-mutation";
import type { OperationLimit } from "../../platform/limits/rate-limits";
import { mapAsyncIterator } from "./engine/map-async-iterator";

/** A field of Query, Mutation or Subscription. */
export type RootField = GraphQLField<unknown, AuditContext>;

/** Who may run an operation, as it declares. @throws Error if it declares nobody */
export function allowedCallers(name: string, field: RootField): AllowedCallers {
  const { allowed, keyScope = null } = field.extensions as {
    allowed?: Omit<AllowedCallers, "keyScope">;
    keyScope?: ApiKeyScope;
  };
  if (allowed === undefined) throw new Error(`${name} does not declare who may run it (@Allow)`);
  return { ...allowed, keyScope };
}

/**
 * Checks limits and access before a root field runs, for every protocol and once per alias, so that neither
 * bypasses a limit. The request itself was counted on arrival, and its further fields by the engine. Mutations of
 * members and of API keys leave an entry in the audit log.
 */
export function guard(name: string, field: RootField): void {
  const allowed = allowedCallers(name, field);
  const isPublic = allowed.client === "public";
  const takesKeys = allowed.keyScope !== null;
  const { limit } = field.extensions as { limit?: OperationLimit };
  const isAudited = (allowed.member !== null || takesKeys) && name.startsWith("Mutation.");
  const guarded = (act: GraphQLFieldResolver<unknown, AuditContext>) => {
    const audited = isAudited ? auditMutation(field, allowed, act) : null;
    return async (...args: Parameters<GraphQLFieldResolver<unknown, AuditContext>>) => {
      const { auth, caller, limits } = args[2];
      if (auth.hasApiKey && (!isPublic || takesKeys)) {
        // All users of a backend have its address, so that a key counts for its application alone.
        const { applicationId } = await auth.apiKey();
        limits.countForApplication("request", applicationId);
        if (limit !== undefined) await limits.countForApplication(limit, applicationId);
        if (audited) return audited(...args);
        await auth.require(allowed);
        return act(...args);
      }
      if (limit !== undefined) {
        // A token that has ended is refused before it counts: its client does not use up the limit of its address.
        if (!isPublic) await auth.authenticate();
        // Local limits return synchronously; awaiting them would cost an event loop turn.
        const counting = limits.countForAddress(limit, caller.ip);
        if (counting) await counting;
      }
      // A public operation resolves its application itself.
      if (isPublic) return act(...args);
      // The audited resolver checks the access itself. By REST no member runs anything.
      if (audited && auth.callsForAccount && caller.protocol !== "rest") return audited(...args);
      await auth.require(allowed);
      // Members of accounts belong to no application; their address has been counted.
      if (auth.callsForAccount) return act(...args);
      const applicationId = await auth.applicationId();
      limits.countForApplication("request", applicationId);
      if (limit !== undefined) {
        const counting = limits.countForApplication(limit, applicationId);
        if (counting) await counting;
      }
      return act(...args);
    };
  };
  // A subscription is checked once, not for each event.
  if (field.subscribe) field.subscribe = guarded(counted(name, isPublic, field.subscribe));
  else field.resolve = guarded(field.resolve ?? defaultFieldResolver);
}

/** Counts a subscription as one of its viewer, from its start to its end. Every field passes here, so none lacks the bound. */
function counted(
  name: string,
  isPublic: boolean,
  subscribe: GraphQLFieldResolver<unknown, AuditContext>,
): GraphQLFieldResolver<unknown, AuditContext> {
  if (isPublic) throw new Error(`${name} is public and has no viewer to count it for`);
  return async (...args) => {
    const { auth, viewerSubscriptions } = args[2];
    const ended = viewerSubscriptions.open(await auth.viewerKey());
    try {
      const source = (await subscribe(...args)) as AsyncIterable<unknown>;
      return mapAsyncIterator(
        source[Symbol.asyncIterator](),
        (event) => event,
        (error) => error as Error,
        ended,
      );
    } catch (error) {
      ended();
      throw error;
    }
  };
}

/**
 * Refuses a field that reads by itself, such as a list, where its object is an element of a list: it would be read once for
 * each. Fields that the object has pass.
 * @param advice what to ask instead
 */
export function refuseInLists(field: RootField, advice: string): void {
  const resolve = field.resolve ?? defaultFieldResolver;
  field.resolve = (...args) => {
    const [object, , , { path }] = args;
    if (!(field.name in (object as object)) && isInList(path)) {
      throw new Fault("INVALID", `The field ${field.name} is not read in a list: ${advice}`);
    }
    return resolve(...args);
  };
}

/** Whether a path leads through an element of a list. */
function isInList(path: ResponsePath | undefined): boolean {
  for (let part = path; part; part = part.prev) {
    if (typeof part.key === "number") return true;
  }
  return false;
}
