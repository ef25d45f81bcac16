import { trimTrailingSlashes } from "../../../core/host-in-url";
import { checkWebUrl } from "../../../core/text/field-checks";
import { readCertificates, writeCertificates } from "./pem";

/** Address of a service other than the public one, as an owner submits it. */
export interface ServiceAddressInput {
  baseUrl?: string | null;
  ca?: string | null;
}

/**
 * Validates a service address and drops empty fields.
 * @param group input field that contains the address, for the Fault
 * @throws Fault INVALID on baseUrl or ca
 */
export function validateServiceAddress(
  group: string,
  { baseUrl, ca }: ServiceAddressInput,
): { baseUrl?: string; ca?: string } {
  if (baseUrl) checkWebUrl(`${group}.baseUrl`, baseUrl);
  return {
    ...(baseUrl ? { baseUrl: trimTrailingSlashes(baseUrl) } : {}),
    ...(ca ? { ca: writeCertificates(readCertificates(`${group}.ca`, ca)) } : {}),
  };
}
