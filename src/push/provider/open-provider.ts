import type { PushEnvironment } from "../channel";
import type { Credentials } from "../credential/credentials";
import type { Provider } from "./provider";
import { PROVIDER_DEFAULTS, type ProviderOptions } from "./provider-options";

/**
 * The provider that credentials are for. Nothing is connected yet. Credentials that cannot be read
 * give a provider that refuses every push, and says why, also to a check.
 */
export function openProvider(
  credentials: Credentials,
  environment: PushEnvironment,
  options: Partial<ProviderOptions> = {},
): Provider {
  const all = { ...PROVIDER_DEFAULTS, ...options };
  // Loaded with the first push of their kind: 20 MB that a node without pushes does without.
  switch (credentials.service) {
    case "apns": {
      const { openApns } = require("./apns") as typeof import("./apns");
      return openApns(credentials, environment, all);
    }
    case "fcm": {
      const { openFcm } = require("./fcm") as typeof import("./fcm");
      return openFcm(credentials, all);
    }
    case "web": {
      const { openWebPush } = require("./web-push") as typeof import("./web-push");
      return openWebPush(credentials, all);
    }
  }
}
