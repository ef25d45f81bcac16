import { registerEnumType } from "type-graphql";
import {
  CHANNEL_TABLE,
  CHANNELS,
  listInProse,
  type PushService,
  SERVICE_TABLE,
  SERVICES,
} from "./channel";

/** GraphQL names of the services. */
export const PushServiceName: Record<string, PushService> = Object.fromEntries(
  SERVICES.map((service) => [service.toUpperCase(), service]),
);
registerEnumType(PushServiceName, {
  name: "PushService",
  description: "A service that delivers pushes to devices.",
  valuesConfig: Object.fromEntries(
    SERVICES.map((service) => [service.toUpperCase(), { description: descriptionOf(service) }]),
  ),
});

function descriptionOf(service: PushService): string {
  const channels = CHANNELS.filter((channel) => CHANNEL_TABLE[channel].service === service);
  const names = channels.map((channel) => channel.toUpperCase()).sort();
  const noun = names.length === 1 ? "channel" : "channels";
  return `${SERVICE_TABLE[service].description}, for the ${noun} ${listInProse(names, "and")}.`;
}
