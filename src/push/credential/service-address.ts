import { withoutEndSlashes } from "../../core/host-in-url";
import { checkWebUrl } from "../../identity/account/accounts";
import { readCertificates, writeCertificates } from "./pem";

/** Where a service is found if not at its public address, as an owner gives it. */
export interface GivenAddress {
  baseUrl?: string | null;
  ca?: string | null;
}

/**
 * The address with what was left out absent.
 * @param group the input's field that it is in, for the Fault
 * @throws Fault INVALID on baseUrl or ca
 */
export function checkAddress(
  group: string,
  { baseUrl, ca }: GivenAddress,
): { baseUrl?: string; ca?: string } {
  if (baseUrl) checkWebUrl(`${group}.baseUrl`, baseUrl);
  return {
    ...(baseUrl ? { baseUrl: withoutEndSlashes(baseUrl) } : {}),
    ...(ca ? { ca: writeCertificates(readCertificates(`${group}.ca`, ca)) } : {}),
  };
}
