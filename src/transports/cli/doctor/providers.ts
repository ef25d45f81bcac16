import { type Finding, failure, ok, skipped } from "../../../domain/health/checks/finding";
import {
  type ProviderAddress,
  type ProviderLocations,
  probeProvider,
  providerAddresses,
} from "../../../domain/sign-in/probe";
import { Connector } from "../../../platform/network/connector";
import { errorMessage } from "../../../platform/store/error-properties";
import { asMember } from "../connection/member";
import type { CheckContext } from "./check-context";

const PROVIDERS = "providers";
const TIMEOUT_MS = 4_000;
/** Number of addresses that are probed concurrently. */
const CONCURRENCY = 10;
/** Maximum number of addresses that are probed; applications mostly share the default ones. */
const ADDRESSES_MAX = 50;

const QUERY = `{ account { applications {
  id facebook { baseUrl version } twitter { baseUrl } firebase { keysUrl }
} } }`;

interface UsedAddress extends ProviderAddress {
  /** Ids of the applications that use it. */
  applications: string[];
}

/** Checks that the sign-in providers of the owner's applications are reachable. */
export async function checkProviders({ config, access, server }: CheckContext): Promise<Finding[]> {
  if (server.state !== "ready") {
    return [skipped(PROVIDERS, "unknown while no server is ready")];
  }
  let addresses: UsedAddress[];
  try {
    const ownAccess = { ...access, timeoutMs: TIMEOUT_MS };
    const { account } = await asMember(ownAccess, (execute) => execute(QUERY));
    const { applications } = account as { applications: Array<ProviderLocations & { id: string }> };
    addresses = distinct(applications);
  } catch {
    return [skipped(PROVIDERS, "unknown: the owner cannot sign in")];
  }
  if (addresses.length === 0) return [skipped(PROVIDERS, "no application uses a provider")];
  const findings: Finding[] = [];
  const connector = new Connector({ allowPrivate: config.ALLOW_PRIVATE_NETWORKS });
  for (let first = 0; first < Math.min(addresses.length, ADDRESSES_MAX); first += CONCURRENCY) {
    const batch = addresses.slice(first, Math.min(first + CONCURRENCY, ADDRESSES_MAX));
    findings.push(...(await Promise.all(batch.map((address) => probe(address, connector)))));
  }
  connector.close();
  const more = addresses.length - ADDRESSES_MAX;
  if (more > 0) findings.push(skipped(PROVIDERS, `${more} more addresses are not checked`));
  return findings;
}

function distinct(applications: Array<ProviderLocations & { id: string }>): UsedAddress[] {
  const byUrl = new Map<string, UsedAddress>();
  for (const application of applications) {
    for (const { provider, url } of providerAddresses(application)) {
      const known = byUrl.get(`${provider} ${url}`) ?? { provider, url, applications: [] };
      known.applications.push(application.id);
      byUrl.set(`${provider} ${url}`, known);
    }
  }
  return [...byUrl.values()];
}

async function probe(
  { provider, url, applications }: UsedAddress,
  connector: Connector,
): Promise<Finding> {
  const check = `provider: ${provider}` as const;
  const ids = applications.slice(0, 5).join(", ") + (applications.length > 5 ? ", …" : "");
  const subject = `${url} (application ${ids})`;
  try {
    await probeProvider({ provider, url }, { connector, timeoutMs: TIMEOUT_MS });
    return ok(check, `${subject} answers`);
  } catch (error) {
    const reason = errorMessage(error);
    const flag = {
      facebook: "--facebook-base-url",
      twitter: "--twitter-base-url",
      firebase: "--firebase-keys-url",
    }[provider];
    const fix = `Allow access from this machine, or correct the URL: signalbox app update --app ${applications[0]} ${flag} …`;
    return failure(check, `${subject} does not answer like ${provider}: ${reason}`, fix);
  }
}
