import type { Credential } from "firebase-admin/app";

/** The only right that pushes need. By default the package asks for five, all of Google Cloud among them. */
const SCOPE = "https://www.googleapis.com/auth/firebase.messaging";

/** A Google service account. */
export interface ServiceAccount {
  projectId: string;
  clientEmail: string;
  /** RSA key, as PEM. */
  privateKey: string;
}

/** Sends the form of a token request. An error that it throws becomes the cause of getAccessToken's. */
export type SendForm = (form: string) => Promise<Response>;

/** A credential of firebase-admin. It caches its access token until five minutes before it expires. */
export interface FcmCredential {
  /** @throws Error whose cause is the error of {@link SendForm} */
  getAccessToken(): Promise<string>;
  /** Removes the private key and the token from memory. Call it once, without a request in progress. */
  forget(): void;
}

/** What the types of the package omit: the account, and the client of google-auth-library made from it. */
interface CredentialParts {
  serviceAccountPathOrObject: object;
  getGoogleAuth(): unknown;
  authClient: { scopes: string; transporter: { defaults: Record<string, unknown> } };
}

/** Number of entries in the table of `cert`, and those whose credentials were forgotten. */
let entries = 0;
const unused: number[] = [];

/**
 * Opens a credential of firebase-admin. The package is loaded with the first one.
 *
 * The agent that `cert` accepts is ignored for an account that is not a file (firebase-admin-node, issue
 * 2960), and would allow neither another path nor a time limit. The function that sends requests is therefore
 * set in the client. Without this client, opening fails; the package never connects by itself.
 *
 * `cert` keeps every credential in a table by the JSON of its account, and never removes one. The JSON is
 * therefore a number, so that the private key is no key of the table, and a forgotten entry is used again.
 */
export async function openFcmCredential(
  { ...account }: ServiceAccount,
  send: SendForm,
): Promise<FcmCredential> {
  const { cert } = await import("firebase-admin/app");
  const entry = unused.pop() ?? ++entries;
  const credential: Credential = cert(Object.assign(account, { toJSON: () => entry }));
  const parts = credential as Credential & CredentialParts;
  parts.serviceAccountPathOrObject = account;
  parts.getGoogleAuth();
  parts.authClient.scopes = SCOPE;
  Object.assign(parts.authClient.transporter.defaults, {
    fetchImplementation: (_url: URL, { body }: { body: unknown }) => send(String(body)),
    // The push's own job repeats, after the delay that Google requests.
    retryConfig: { retry: 0 },
  });
  return {
    getAccessToken: async () => (await credential.getAccessToken()).access_token,
    forget: () => {
      for (const name of Object.keys(credential)) Reflect.deleteProperty(credential, name);
      unused.push(entry);
    },
  };
}
