/**
 * A GraphQL operation as text. Its type carries those of its result and variables, as the documents of
 * graphql-codegen with `documentMode: "string"` do.
 */
export type Document<Result, Variables> = string & DocumentTypes<Result, Variables>;

/** The types that a document carries; they exist only for the compiler. */
export interface DocumentTypes<Result, Variables> {
  /** Never set. */
  readonly __apiType?: (variables: Variables) => Result;
}
