/** The attributes of a span about an entry of an inbox or a notice. The name of an inbox has the id of its user. */
export const inboxAttributes = (operation: "send" | "process") => ({
  "messaging.system": "signalbox",
  "messaging.destination.template": "user:{application}:{user}",
  "messaging.operation.name": operation,
  "messaging.operation.type": operation,
});
