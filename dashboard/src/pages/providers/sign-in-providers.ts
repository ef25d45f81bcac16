import type { Detail } from "../../components/details.tsx";
import type { SignInProvider, SignInProvidersQuery } from "./sign-in.generated.ts";
import { providersStrings } from "./strings.ts";

const texts = providersStrings.signIn;
type Application = SignInProvidersQuery["application"];

/** A provider whose users may sign in: its settings, and which of them is a secret. */
export interface ProviderRow {
  provider: SignInProvider;
  /** Its name in the application's settings. */
  group: "facebook" | "twitter" | "firebase";
  fields: readonly ProviderField[];
}

/** A setting of a provider. */
export interface ProviderField {
  name: keyof typeof texts.fields;
  isSecret?: true;
  /** For few applications. */
  isRare?: true;
}

const BASE_URL = { name: "baseUrl", isRare: true } as const;

export const SIGN_IN_PROVIDERS: readonly ProviderRow[] = [
  {
    provider: "FACEBOOK",
    group: "facebook",
    fields: [
      { name: "appId" },
      { name: "appSecret", isSecret: true },
      { name: "version", isRare: true },
      BASE_URL,
    ],
  },
  {
    provider: "TWITTER",
    group: "twitter",
    fields: [{ name: "consumerKey" }, { name: "consumerSecret", isSecret: true }, BASE_URL],
  },
  {
    provider: "FIREBASE_PHONE",
    group: "firebase",
    fields: [{ name: "projectId" }, { name: "keysUrl", isRare: true }],
  },
];

/** The settings of a provider as texts, without its secret; null if it is not set. */
export function settingsOf(
  application: Application,
  { group }: ProviderRow,
): Readonly<Record<string, unknown>> | null {
  return application[group] ?? null;
}

/** What is set of a provider. */
export function providerDetails(application: Application, row: ProviderRow): Detail[] {
  const settings = settingsOf(application, row);
  if (settings === null) return [];
  return row.fields.flatMap(({ name, isSecret }) => {
    const value = isSecret
      ? settings[`${name}Set`] && texts.secretSet
      : (settings[name] as string | null);
    return value ? [{ title: texts.fields[name][0], value: String(value) }] : [];
  });
}
