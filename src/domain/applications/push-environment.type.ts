import { registerEnumType } from "type-graphql";
import type { PushEnvironment } from "../../platform/store/generated/enums";

/** GraphQL names of the push environments. */
export const PushEnvironmentName: Record<string, PushEnvironment> = {
  DEVELOPMENT: "development",
  PRODUCTION: "production",
};
registerEnumType(PushEnvironmentName, {
  name: "PushEnvironment",
  description: "Separates the devices of developers from those of users.",
  valuesConfig: {
    DEVELOPMENT: { description: "Development builds; Apple's sandbox." },
    PRODUCTION: { description: "Builds that users install." },
  },
});
