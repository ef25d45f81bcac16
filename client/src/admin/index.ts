export { SignalboxError } from "../errors.ts";
export type { RequestOptions } from "../transport/http.ts";
export type { ConnectionStatus } from "../transport/socket.ts";
export type { SubscriptionSink } from "../transport/subscription.ts";
export {
  type MemberConnection,
  type MemberConnectionOptions,
  openMemberConnection,
} from "./member-connection.ts";
export type { MemberTokenSource } from "./member-session.ts";
