import type { FilledApplication } from "./fill";
import type { MemberClient } from "./member-client";

/** A measured application, and the owner of its account. */
export interface DashboardSubject extends FilledApplication {
  client: MemberClient;
}
