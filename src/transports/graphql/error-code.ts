import { GraphQLSchema } from "graphql";

/** Where an error has its code; the description of the schema. */
const DESCRIPTION = `The API of Signalbox. An error has these extensions:
- code: a value of the enum ErrorCode, which says what the client can do
- fields: the reasons by field, where fields are at fault: an object of lists of texts, by the names of input fields and arguments; "base" stands for the whole input
- retryAfter: the seconds to wait before a retry`;

/** The schema with a description that says where an error has its code. */
export function withErrorCodes(schema: GraphQLSchema): GraphQLSchema {
  return new GraphQLSchema({ ...schema.toConfig(), description: DESCRIPTION });
}
