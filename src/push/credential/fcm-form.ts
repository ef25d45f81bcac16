import { z } from "zod";
import { Fault } from "../../core/errors";
import { checkWebUrl } from "../../identity/account/accounts";
import type { FcmCredentials } from "./credentials";
import { isUsableRsa, readPrivateKey, writePrivateKey } from "./pem";
import { checkAddress, type GivenAddress } from "./service-address";

/** Credentials for Firebase Cloud Messaging as an owner gives them. */
export interface GivenFcm extends GivenAddress {
  /** The file that Google makes, as its text or parsed. */
  serviceAccount?: unknown;
}

const FIELD = "fcm.serviceAccount";
/** Characters of the file at most; Google's take some 2,500. */
const FILE_MAX = 20_000;

/** What is read of a service account's key (cloud.google.com "Create and delete service account keys"). */
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

/** Checks the form of what an owner gives. @throws Fault INVALID on the field that is wrong */
export function checkFcm(given: GivenFcm): FcmCredentials {
  const { project_id, private_key_id, private_key, client_email, token_uri } = readAccount(
    given.serviceAccount,
  );
  const key = readPrivateKey(FIELD, private_key, "hold a private_key");
  if (!isUsableRsa(key)) {
    throw Fault.field(FIELD, "must hold a private_key of RSA with 2048 to 8192 bits");
  }
  if (token_uri) checkWebUrl(FIELD, token_uri);
  return {
    service: "fcm",
    projectId: project_id,
    clientEmail: client_email,
    privateKey: writePrivateKey(key),
    ...(private_key_id ? { privateKeyId: private_key_id } : {}),
    ...(token_uri ? { tokenUrl: token_uri } : {}),
    ...checkAddress("fcm", given),
  };
}

function readAccount(given: unknown): z.infer<typeof account> {
  if (given === undefined || given === null || given === "") {
    throw Fault.field(FIELD, "is required");
  }
  const file = typeof given === "string" ? parse(given) : given;
  if (typeof file !== "object" || file === null || Array.isArray(file)) {
    throw Fault.field(FIELD, "must be the JSON file of a service account's key");
  }
  // The other file that Firebase offers, for apps, is what is taken for this one most often.
  if ("project_info" in file || !("private_key" in file)) {
    throw Fault.field(
      FIELD,
      "is no service account's key: make one in the Firebase console, Project settings, Service accounts",
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
