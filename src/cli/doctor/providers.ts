import {
  type ProviderAddress,
  type ProviderPlaces,
  probeProvider,
  providerAddresses,
} from "../../identity/provider/probe";
import { Connector } from "../../network/connector";
import { messageOf } from "../../store/error-parts";
import { asOwner } from "../server";
import { type Finding, ok, type Patient, skipped, wrong } from "./finding";

const PROVIDERS = "providers";
const ANSWER_MS = 4_000;
/** Addresses that are asked at once, and at most: applications mostly share the usual ones. */
const AT_ONCE = 10;
const ADDRESSES_MAX = 50;

const PLACES = `{ account { applications {
  id facebook { baseUrl version } twitter { baseUrl } firebase { keysUrl }
} } }`;

interface Asked extends ProviderAddress {
  applications: string[];
}

/** Whether sign-in through the providers of the owner's applications finds them. */
export async function checkProviders({ config, access, server }: Patient): Promise<Finding[]> {
  if (server.state !== "ready") {
    return [skipped(PROVIDERS, "no server is ready to tell which ones applications use")];
  }
  let addresses: Asked[];
  try {
    const { account } = await asOwner({ ...access, timeoutMs: ANSWER_MS }, (ask) => ask(PLACES));
    const { applications } = account as { applications: Array<ProviderPlaces & { id: string }> };
    addresses = distinct(applications);
  } catch {
    return [skipped(PROVIDERS, "the owner cannot sign in to ask which ones applications use")];
  }
  if (addresses.length === 0) return [skipped(PROVIDERS, "no application uses any")];
  const findings: Finding[] = [];
  const connector = new Connector({ allowPrivate: config.ALLOW_PRIVATE_NETWORKS });
  for (let first = 0; first < Math.min(addresses.length, ADDRESSES_MAX); first += AT_ONCE) {
    const some = addresses.slice(first, Math.min(first + AT_ONCE, ADDRESSES_MAX));
    findings.push(...(await Promise.all(some.map((asked) => probe(asked, connector)))));
  }
  connector.close();
  const more = addresses.length - ADDRESSES_MAX;
  if (more > 0) findings.push(skipped(PROVIDERS, `${more} more addresses are not asked`));
  return findings;
}

function distinct(applications: Array<ProviderPlaces & { id: string }>): Asked[] {
  const byUrl = new Map<string, Asked>();
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
  { provider, url, applications }: Asked,
  connector: Connector,
): Promise<Finding> {
  const check = `provider: ${provider}`;
  const some = applications.slice(0, 5).join(", ") + (applications.length > 5 ? ", …" : "");
  const where = `${url} (application ${some})`;
  try {
    await probeProvider({ provider, url }, { connector, timeoutMs: ANSWER_MS });
    return ok(check, `${where} answers`);
  } catch (error) {
    const reason = messageOf(error);
    const flag = {
      facebook: "--facebook-base-url",
      twitter: "--twitter-base-url",
      firebase: "--firebase-keys-url",
    }[provider];
    const mend = `Let this machine reach it, or correct it: signalbox app update --app ${applications[0]} ${flag} …`;
    return wrong(check, `${where} does not answer as ${provider} does: ${reason}`, mend);
  }
}
