import { registerEnumType } from "type-graphql";
import { ERROR_DESCRIPTIONS, type ErrorCode } from "../../core/errors";

/** GraphQL names of the codes of errors. */
export const ErrorCodeName = Object.fromEntries(
  Object.keys(ERROR_DESCRIPTIONS).map((code) => [code, code as ErrorCode]),
) as { [Code in ErrorCode]: Code };
registerEnumType(ErrorCodeName, {
  name: "ErrorCode",
  description: "The code of an error, in its extensions.code.",
  valuesConfig: Object.fromEntries(
    Object.entries(ERROR_DESCRIPTIONS).map(([code, { cause, remedy }]) => [
      code,
      { description: `${cause} ${remedy}` },
    ]),
  ),
});
