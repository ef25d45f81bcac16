/**
 * Types of the package's credential readers, which its own types omit. The readers take text that is not PEM
 * for a file name, so pass buffers only.
 */
declare module "apn/lib/credentials" {
  /** The provider token, and a way to renew it. */
  export interface ProviderToken {
    readonly current: string;
    readonly generation: number;
    /** Signs a new token, unless the given generation was already replaced. */
    regenerate(generation: number): void;
  }

  interface Readers {
    /** @throws Error if the key cannot sign */
    token(from: { key: Buffer; keyId: string; teamId: string }): ProviderToken;
    /** @throws Error if the certificate has expired, or is for another key or environment */
    certificate(from: {
      cert: Buffer;
      key: Buffer;
      passphrase?: string;
      production: boolean;
    }): unknown;
  }

  export default function readCredentials(dependencies: { logger(text: unknown): void }): Readers;
}
