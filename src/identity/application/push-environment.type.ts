import { registerEnumType } from "type-graphql";
import type { PushEnvironment } from "../../store/generated/enums";

/** GraphQL names of the environments. */
export const PushEnvironmentName: Record<string, PushEnvironment> = {
  DEVELOPMENT: "development",
  PRODUCTION: "production",
};
registerEnumType(PushEnvironmentName, {
  name: "PushEnvironment",
  description: "Keeps the devices of developers apart from those of users.",
  valuesConfig: {
    DEVELOPMENT: { description: "Builds of developers; Apple's sandbox." },
    PRODUCTION: { description: "What users have." },
  },
});
