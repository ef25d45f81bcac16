import type { ApplicationDeletion, DeletionDeps } from "./application-deps";
import { deleteApplication } from "./application-queries";

/** Name of the job that completes the deletion of an application. */
export const DELETION_JOB = "application-deletion";
/**
 * Delay of the job, in seconds: most deletions have ended by then. The job may run beside one that has not, since both
 * delete what is left.
 */
export const DELETION_JOB_DELAY = 60;

/**
 * Deletes an application with all its users and data, and ends their sessions and connections. It takes many
 * transactions, so a durable job is enqueued first, which completes the deletion if this process ends before it has.
 * Does not check permissions.
 */
export async function deleteApplicationWithUsers(
  deps: DeletionDeps,
  deletion: ApplicationDeletion,
): Promise<void> {
  await deps.enqueueDeletion(deletion);
  await completeDeletion(deps, deletion);
}

/** Deletes what is left of an application. Idempotent. */
export async function completeDeletion(
  deps: Omit<DeletionDeps, "enqueueDeletion">,
  { accountId, applicationId }: ApplicationDeletion,
): Promise<void> {
  await deps.deleteUsers(deps, applicationId);
  await deleteApplication(deps.store, accountId, applicationId);
  // Also if it was gone: the process that deleted it may have ended before it notified the nodes.
  deps.sessionEvents.publish({ kind: "application deleted", applicationId });
}
