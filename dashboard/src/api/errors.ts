import { SignalboxError } from "@signalbox/client";

/** Any exception as an error with a code, the service's words and the id of the request. */
export function asServiceError(error: unknown): SignalboxError {
  if (error instanceof SignalboxError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new SignalboxError("INTERNAL", message, { cause: error });
}

/** Whether the same request may succeed later. */
export function isTransient({ code }: SignalboxError): boolean {
  return code === "NETWORK" || code === "UNAVAILABLE" || code === "LIMITED";
}

/**
 * Whether no answer of the service has come, so that it may have done what was asked, or still be doing it. A proxy that
 * waits no longer answers with an error that has no request id.
 */
export function isUnanswered({ code, requestId }: SignalboxError): boolean {
  return code === "NETWORK" || (code === "UNAVAILABLE" && requestId === null);
}

/** The errors of a form: texts by field, and what belongs to none of them. */
export interface FormErrors {
  fields: Record<string, string>;
  /** Null if every reason belongs to a field of the form. */
  rest: SignalboxError | null;
}

/**
 * Sorts the reasons of INVALID to the fields of a form.
 * @param names of the form's fields, which are those of the operation's input
 */
export function formErrors(error: SignalboxError, names: readonly string[]): FormErrors {
  const fields: Record<string, string> = {};
  let isComplete = error.code === "INVALID" && Object.keys(error.fields).length > 0;
  for (const [name, reasons] of Object.entries(error.fields)) {
    // The service names parts of a list as webOrigins.0.
    const field = names.find((each) => name === each || name.startsWith(`${each}.`));
    if (field === undefined) isComplete = false;
    else fields[field] = reasons.join("; ");
  }
  return { fields, rest: isComplete ? null : error };
}
