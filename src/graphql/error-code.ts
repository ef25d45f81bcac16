import { GraphQLEnumType, GraphQLSchema } from "graphql";
import { ERROR_DESCRIPTIONS } from "../core/errors";

/** Where an error has its code; the description of the schema. */
const DESCRIPTION = `The API of Signalbox. An error has these extensions:
- code: a value of the enum ErrorCode, which says what the client can do
- fields: the reasons by field, where fields are at fault: an object of lists of texts, by the names of input fields and arguments; "base" stands for the whole input
- retryAfter: the seconds to wait before a retry`;

const ErrorCodeType = new GraphQLEnumType({
  name: "ErrorCode",
  description: "The code of an error, in its extensions.code. No field has this type.",
  values: Object.fromEntries(
    Object.entries(ERROR_DESCRIPTIONS).map(([code, { cause, remedy }]) => [
      code,
      { description: `${cause} ${remedy}` },
    ]),
  ),
});

/**
 * The schema with the enum ErrorCode, from which clients generate code, and with a description that says where
 * an error has its code. type-graphql drops an enum that no field uses.
 */
export function withErrorCodes(schema: GraphQLSchema): GraphQLSchema {
  const config = schema.toConfig();
  return new GraphQLSchema({
    ...config,
    description: DESCRIPTION,
    types: [...config.types, ErrorCodeType],
  });
}
