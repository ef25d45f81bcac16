/**
 * The part of the package that reads credentials; its own types describe the whole client alone.
 * Text that is no PEM is taken for the name of a file, so only buffers may be given.
 */
declare module "apn/lib/credentials" {
  /** A token of the provider, and how it is made anew. */
  export interface ProviderToken {
    readonly current: string;
    readonly generation: number;
    /** Signs the next one, unless the given generation is over already. */
    regenerate(generation: number): void;
  }

  interface Readers {
    /** @throws Error when the key cannot sign */
    token(from: { key: Buffer; keyId: string; teamId: string }): ProviderToken;
    /** @throws Error for a certificate that has expired, or is of another key or environment */
    certificate(from: {
      cert: Buffer;
      key: Buffer;
      passphrase?: string;
      production: boolean;
    }): unknown;
  }

  export default function readCredentials(dependencies: { logger(text: unknown): void }): Readers;
}
