export { SignalboxError } from "../errors.ts";
export type { RequestOptions } from "../transport/http.ts";
export type { ConnectionStatus } from "../transport/socket.ts";
export type { SubscriptionSink } from "../transport/subscription.ts";
export {
  type OwnerConnection,
  type OwnerConnectionOptions,
  openOwnerConnection,
} from "./owner-connection.ts";
export type { OwnerTokenSource } from "./owner-session.ts";
