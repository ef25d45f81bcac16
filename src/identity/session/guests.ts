import { Fault } from "../../core/errors";
import type { Application } from "../application/applications";
import type { Identity } from "../identity";
import type { User } from "../user/user";

/** A new temporary user. */
export async function createGuest(
  _identity: Identity,
  _application: Application,
  _fullName: string | null,
): Promise<User> {
  throw new Fault("UNSUPPORTED", "Guest sessions are not supported yet");
}
