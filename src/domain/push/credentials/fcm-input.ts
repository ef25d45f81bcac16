import { z } from "zod";
import { Fault } from "../../../core/errors";
import { checkWebUrl } from "../../../core/text/field-checks";
import type { FcmCredentials } from "./credentials";
import { isUsableRsa, readPrivateKey, writePrivateKey } from "./pem";
import { type ServiceAddressInput, validateServiceAddress } from "./service-address";

/** FCM credentials as an owner submits them. */
export interface FcmInput extends ServiceAddressInput {
  /** The JSON key file that Google generates, as text or parsed. */
  serviceAccount?: unknown;
}

const FIELD = "fcm.serviceAccount";
/** Maximum length of the file in characters; Google's have about 2,500. */
const FILE_MAX = 20_000;

/** The fields used from a service account key (cloud.google.com "Create and delete service account keys"). */
const account = z.object({
  type: z.literal("service_account"),
  project_id: z.string().regex(/^[A-Za-z0-9:.-]{1,100}$/),
  private_key_id: z
    .string()
    .regex(/^[\w-]{1,100}$/)
    .optional(),
  private_key: z.string().min(1),
  client_email: z.string().regex(/^[\w.+-]{1,100}@[\w.-]{1,150}$/),
  token_uri: z.string().optional(),
});

/** Validates FCM credentials and normalizes them for storage. @throws Fault INVALID on the wrong field */
export function validateFcm(input: FcmInput): FcmCredentials {
  const { project_id, private_key_id, private_key, client_email, token_uri } = readAccount(
    input.serviceAccount,
  );
  const key = readPrivateKey(FIELD, private_key, "contain a private_key");
  if (!isUsableRsa(key)) {
    throw Fault.field(FIELD, "must contain an RSA private_key of 2048 to 8192 bits");
  }
  if (token_uri) checkWebUrl(FIELD, token_uri);
  return {
    service: "fcm",
    projectId: project_id,
    clientEmail: client_email,
    privateKey: writePrivateKey(key),
    ...(private_key_id ? { privateKeyId: private_key_id } : {}),
    ...(token_uri ? { tokenUrl: token_uri } : {}),
    ...validateServiceAddress("fcm", input),
  };
}

function readAccount(value: unknown): z.infer<typeof account> {
  if (value === undefined || value === null || value === "") {
    throw Fault.field(FIELD, "is required");
  }
  const file = typeof value === "string" ? parse(value) : value;
  if (typeof file !== "object" || file === null || Array.isArray(file)) {
    throw Fault.field(FIELD, "must be the JSON file of a service account key");
  }
  // Owners often submit google-services.json, Firebase's configuration file for apps, by mistake.
  if ("project_info" in file || !("private_key" in file)) {
    throw Fault.field(
      FIELD,
      "is not a service account key: create one in the Firebase console, Project settings, Service accounts",
    );
  }
  const { data, error } = account.safeParse(file);
  if (data) return data;
  throw Fault.field(FIELD, `has no valid ${String(error.issues[0]?.path[0])}`);
}

function parse(text: string): unknown {
  if (text.length > FILE_MAX) {
    throw Fault.field(FIELD, `is too long (maximum is ${FILE_MAX} characters)`);
  }
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
