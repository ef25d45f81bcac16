import { Extensions } from "type-graphql";

/** What a field of the schema declares for the audit log, among its extensions. */
export interface AuditExtensions {
  /** Whether the text of an input field is recorded. */
  audited?: boolean;
  /** The name under which an input field is recorded. */
  auditedAs?: string;
  /** The argument with which a mutation changes nothing. */
  notAuditedIf?: string;
  /** Whether the resolver of a mutation writes the entries of what it does. */
  auditsItself?: boolean;
}

/**
 * Declares that the audit log records the text of an input field, which is never a secret. The log has ids, numbers,
 * enums, booleans and times of all inputs, but of texts and JSON only the names of the fields.
 */
export function Audited(): PropertyDecorator {
  return Extensions({ audited: true } satisfies AuditExtensions);
}

/** Declares the name under which the audit log records an id whose own name does not tell what it identifies. */
export function AuditedAs(name: string): PropertyDecorator {
  return Extensions({ auditedAs: name } satisfies AuditExtensions);
}

/**
 * Declares that the resolver of a mutation writes the entries of what it does, because most calls are no news to a member.
 * What the caller may not do is recorded as of every mutation.
 */
export function AuditsItself(): MethodDecorator & PropertyDecorator {
  return Extensions({ auditsItself: true } satisfies AuditExtensions);
}

/** Declares that a mutation changes nothing if this argument is true, and then leaves no entry. */
export function NotAuditedIf(argument: string): MethodDecorator & PropertyDecorator {
  return Extensions({ notAuditedIf: argument } satisfies AuditExtensions);
}
