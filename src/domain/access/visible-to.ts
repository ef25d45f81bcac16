import { Extensions } from "type-graphql";
import type { MemberRole } from "../../core/viewer";

/** Who sees a field. */
export interface FieldVisibility {
  /** The least role of a member of an account who sees it. */
  role: MemberRole;
  /**
   * Finds the application of an object. Nobody sees the field of an object for which it returns null. If the property
   * itself is null, the application is not checked.
   */
  applicationOf: ((object: object) => number | null) | null;
}

/**
 * Makes a nullable field visible to members of an account only, with at least a given role. The schema makes it null for
 * everybody else, in every operation and protocol that the field is selected in.
 * @param applicationOf the application of an object: only members of its account see the field. Null for a type of which
 * members get only the objects of their own account. Users get none of those, also in a document that signs a member in.
 */
export function VisibleTo<T extends object>(
  role: MemberRole,
  applicationOf: ((object: T) => number | null) | null,
): MethodDecorator & PropertyDecorator {
  return Extensions({ visibleTo: { role, applicationOf } });
}
