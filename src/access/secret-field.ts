import { Extensions } from "type-graphql";

/**
 * Marks a nullable field as a secret of an account. The schema makes it null unless the member who asks has the role
 * developer or owner, for every operation and protocol that the field is selected in.
 */
export function SecretField(): MethodDecorator & PropertyDecorator {
  return Extensions({ secret: true });
}
