import { defaultFieldResolver, type GraphQLField, type GraphQLFieldResolver } from "graphql";
import type { AuditContext } from "../audit/entries/audit-entry";
import { auditMutation } from "../audit/entries/audited-mutation";
import { type Access, isMemberAccess } from "../core/viewer";
import type { OperationLimit } from "../limits/rate-limits";
import { mapAsyncIterator } from "./engine/map-async-iterator";

/** A field of Query, Mutation or Subscription. */
export type RootField = GraphQLField<unknown, AuditContext>;

/** The access that an operation declares. @throws Error if it declares none */
export function accessOf(name: string, field: RootField): Access {
  const { access } = field.extensions as { access?: Access };
  if (access === undefined) throw new Error(`${name} does not declare its access (@Allow)`);
  return access;
}

/**
 * Checks limits and access before a root field runs, for every protocol and once per alias, so that neither
 * bypasses a limit. The request itself was counted on arrival, and its further fields by the engine. Mutations of
 * members leave an entry in the audit log.
 */
export function guard(name: string, field: RootField): void {
  const access = accessOf(name, field);
  const { limit } = field.extensions as { limit?: OperationLimit };
  const isAudited = isMemberAccess(access) && name.startsWith("Mutation.");
  const guarded = (act: GraphQLFieldResolver<unknown, AuditContext>) => {
    const resolve = isAudited ? auditMutation(field, access, act) : act;
    return async (...args: Parameters<GraphQLFieldResolver<unknown, AuditContext>>) => {
      const { auth, caller, limits } = args[2];
      if (limit !== undefined) {
        // A token that has ended is refused before it counts: its client does not use up the limit of its address.
        if (access !== "public") await auth.authenticate();
        // Local limits return synchronously; awaiting them would cost an event loop turn.
        const counting = limits.countForAddress(limit, caller.ip);
        if (counting) await counting;
      }
      // A public operation resolves its application itself, and an audited one checks the access itself.
      if (access === "public" || isAudited) return resolve(...args);
      await auth.require(access);
      // Account owners belong to no application; their address has been counted.
      if (isMemberAccess(access)) return resolve(...args);
      const applicationId = await auth.applicationId();
      limits.countForApplication("request", applicationId);
      if (limit !== undefined) {
        const counting = limits.countForApplication(limit, applicationId);
        if (counting) await counting;
      }
      return resolve(...args);
    };
  };
  // A subscription is checked once, not for each event.
  if (field.subscribe) field.subscribe = guarded(counted(name, access, field.subscribe));
  else field.resolve = guarded(field.resolve ?? defaultFieldResolver);
}

/** Counts a subscription as one of its viewer, from its start to its end. Every field passes here, so none lacks the bound. */
function counted(
  name: string,
  access: Access,
  subscribe: GraphQLFieldResolver<unknown, AuditContext>,
): GraphQLFieldResolver<unknown, AuditContext> {
  if (access === "public") throw new Error(`${name} is public and has no viewer to count it for`);
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
