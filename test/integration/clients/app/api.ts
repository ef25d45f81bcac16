import { ErrorCode } from "./gql/enums";
import type { TypedDocumentString } from "./gql/graphql";

/** Calls the service with generated documents. See docs/CODEGEN.md. */

/** An error of the service. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly code: ErrorCode,
    /** The reasons by field, where fields are at fault. */
    readonly fields: Record<string, string[]>,
  ) {
    super(message);
  }
}

interface Answer<Result> {
  data?: Result | null;
  errors?: Array<{
    message: string;
    extensions: { code: string; fields?: Record<string, string[]> };
  }>;
}

const CODES: string[] = Object.values(ErrorCode);
const isErrorCode = (code: string): code is ErrorCode => CODES.includes(code);

/**
 * Sends an operation by HTTP.
 * @throws ApiError with the first error of the response
 */
export async function request<Result, Variables>(
  service: { url: string; token?: string },
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
): Promise<Result> {
  const response = await fetch(service.url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      ...(service.token ? { Authorization: `Bearer ${service.token}` } : {}),
    },
    body: JSON.stringify({ query: document.toString(), variables }),
  });
  const { data, errors }: Answer<Result> = await response.json();
  const error = errors?.[0];
  if (error) {
    const { code, fields = {} } = error.extensions;
    // A newer service may have codes that these types do not have.
    throw new ApiError(error.message, isErrorCode(code) ? code : ErrorCode.Internal, fields);
  }
  if (!data) throw new Error(`the service answered ${response.status} without data`);
  return data;
}
