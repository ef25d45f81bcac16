import { notifications } from "@mantine/notifications";
import { type ServiceForm, useServiceForm } from "../../components/use-service-form.ts";
import { pushStrings } from "../push/strings.ts";
import {
  PushCredentialsDocument,
  SetPushCredentialsDocument,
  type SetPushCredentialsInput,
} from "./providers.generated.ts";
import type { CredentialFormProps } from "./set-credentials.tsx";
import { providersStrings } from "./strings.ts";

/** The fields that every form of credentials has. */
export interface AddressValues {
  baseUrl: string;
  ca: string;
  skipCheck: boolean;
}

export const NO_ADDRESS: AddressValues = { baseUrl: "", ca: "", skipCheck: false };

/**
 * A form that sets the credentials of a push service.
 * @param name of the service's part of the input, whose fields those of the form are
 * @param part the values that are sent; empty texts are left out
 */
export function useCredentialForm<Values extends AddressValues>(
  { scope, isSet, onClose, onDone }: CredentialFormProps,
  name: "apns" | "fcm" | "web",
  {
    initialValues,
    validate,
    part,
  }: {
    initialValues: Values;
    validate?: Partial<Record<keyof Values, (value: never, values: Values) => string | null>>;
    part(values: Values): Record<string, unknown>;
  },
): ServiceForm<Values> {
  const { applicationId, environment, service } = scope;
  return useServiceForm({
    document: SetPushCredentialsDocument,
    initialValues,
    path: `${name}.`,
    ...(validate && { validate }),
    variables: (values) => ({
      input: {
        applicationId,
        environment,
        [name]: filled(part(values)),
        ...(values.skipCheck && { skipCheck: true }),
      } as SetPushCredentialsInput,
    }),
    // What is replaced cannot be read back.
    asks: () => isSet,
    outdated: [PushCredentialsDocument],
    onDone: ({ setPushCredentials: { warning } }) => {
      onDone(warning ?? null);
      onClose();
      const label = providersStrings.services[service];
      notifications.show({ message: providersStrings.saved(label), color: "green" });
    },
  });
}

/** What the form asks before it replaces credentials. */
export function replacement({ service, environment }: CredentialFormProps["scope"]) {
  const { replaceTitle, replaceLost, services } = providersStrings;
  return {
    title: replaceTitle(services[service]),
    lost: replaceLost(pushStrings.environments[environment], service === "WEB"),
  };
}

function filled(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => {
      const kept = typeof value === "string" ? value.trim() : value;
      return kept === "" || kept === undefined ? [] : [[key, kept]];
    }),
  );
}
