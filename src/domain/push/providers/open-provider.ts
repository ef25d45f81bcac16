import type { PushEnvironment } from "../channels/channel";
import type { Credentials } from "../credentials/credentials";
import type { Provider } from "./port/provider";
import { PROVIDER_DEFAULTS, type ProviderOptions } from "./port/provider-options";

/**
 * Opens the provider for credentials, without connecting yet. With unreadable credentials, it refuses every
 * push and check with the reason.
 */
export function openProvider(
  credentials: Credentials,
  environment: PushEnvironment,
  options: Partial<ProviderOptions> = {},
): Provider {
  const all = { ...PROVIDER_DEFAULTS, ...options };
  // Loaded on first use, which saves a node without pushes 20 MB.
  switch (credentials.service) {
    case "apns": {
      const { openApns } = require("./apns/apns") as typeof import("./apns/apns");
      return openApns(credentials, environment, all);
    }
    case "fcm": {
      const { openFcm } = require("./fcm/fcm") as typeof import("./fcm/fcm");
      return openFcm(credentials, all);
    }
    case "web": {
      const { openWebPush } = require("./web/web-push") as typeof import("./web/web-push");
      return openWebPush(credentials, all);
    }
  }
}
