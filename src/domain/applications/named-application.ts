import { Fault } from "../../core/errors";
import { parseId } from "../../core/text/ids";
import type { MemberViewer, Viewer } from "../../core/viewer";
import { noApplication } from "./owned-applications";

/**
 * The application that an operation for several audiences is about: a member of an account names one of the account's;
 * others, API keys included, have only theirs, which they may name.
 * @throws Fault INVALID if a member names none; NOT_FOUND for an application of others
 */
export async function namedApplication(
  viewer: Viewer | MemberViewer,
  applicationId: string | null | undefined,
): Promise<number> {
  const isNamed = typeof applicationId === "string";
  const own = viewer.kind === "member" ? viewer.key?.applicationId : viewer.applicationId;
  if (own !== undefined && !isNamed) return own;
  if (!isNamed) throw Fault.field("applicationId", "is required");
  const id = parseId(applicationId);
  if (id === null) throw noApplication();
  const isOwn = viewer.kind === "member" ? await viewer.owns(id) : own === id;
  if (!isOwn) throw noApplication();
  return id;
}
