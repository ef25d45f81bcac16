import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StandIns } from "./start";
import type { StandInKeys } from "./stored-keys";

/** Credential files as an owner gets them from Apple, Google and common tools. */
export const FILES = {
  authority: "ca.pem",
  apns: "apns.json",
  apnsKey: "apns.p8",
  apnsCertificate: "apns.pem",
  fcm: "fcm.json",
  web: "web.json",
  webKey: "web.key",
  devices: "devices.json",
} as const;

/** Writes credentials and sample devices for the stand-ins to a folder. */
export function writeCredentials(folder: string, keys: StandInKeys, standIns: StandIns): void {
  mkdirSync(folder, { recursive: true });
  const write = (name: string, content: string | object) => {
    const text = typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`;
    writeFileSync(join(folder, name), text, { mode: 0o600 });
  };
  const { apns, apnsCertificate, fcm, web } = standIns.credentials;
  write(FILES.authority, keys.authority.certificate);
  write(FILES.apns, apns);
  write(FILES.apnsKey, apns.key);
  write(FILES.apnsCertificate, apnsCertificate.certificate + apnsCertificate.privateKey);
  // In the format of Google's console.
  write(FILES.fcm, {
    type: "service_account",
    project_id: fcm.projectId,
    private_key_id: fcm.privateKeyId,
    private_key: fcm.privateKey,
    client_email: fcm.clientEmail,
    token_uri: fcm.tokenUrl,
  });
  write(FILES.web, web);
  write(FILES.webKey, web.privateKey);
  write(FILES.devices, standIns.devices);
}
