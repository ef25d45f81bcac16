import { Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useOperation } from "../../api/queries.ts";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { SaveBar } from "../../components/save-bar.tsx";
import { SecretField } from "../../components/secret-field.tsx";
import { Section } from "../../components/section.tsx";
import { showStored, useServiceForm } from "../../components/use-service-form.ts";
import { CurrentAccountDocument } from "../../session/account.generated.ts";
import { useRole } from "../../session/use-account.ts";
import { applicationStrings } from "../applications/strings.ts";
import {
  AccountDetailsDocument,
  type AccountDetailsFieldsFragment,
  UpdateAccountDocument,
} from "./account-details.generated.ts";
import { accountStrings } from "./strings.ts";

const texts = accountStrings;
const ENDPOINTS = ["apiEndpoint", "chatEndpoint", "turnserverEndpoint"] as const;

/** The name of the account, and the servers that its apps are sent to. */
export function DetailsTab() {
  const query = useOperation(AccountDetailsDocument, {});
  const account = query.data?.account;
  if (account) return <DetailsForm account={account} />;
  if (query.error) return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />;
  return (
    <Stack aria-busy>
      <Skeleton height={180} />
      <Skeleton height={280} />
    </Stack>
  );
}

/** An endpoint of the deployment is null for the service, and an empty field here. */
function valuesOf({ name, ...account }: AccountDetailsFieldsFragment) {
  const { apiEndpoint, chatEndpoint, turnserverEndpoint } = account;
  return {
    name,
    apiEndpoint: apiEndpoint ?? "",
    chatEndpoint: chatEndpoint ?? "",
    turnserverEndpoint: turnserverEndpoint ?? "",
  };
}

/** Only what was changed is sent, so that nobody undoes another owner's change. */
function DetailsForm({ account }: { account: AccountDetailsFieldsFragment }) {
  const { isOwner, isKnown } = useRole();
  const { form, submit, isSending, error } = useServiceForm({
    document: UpdateAccountDocument,
    initialValues: valuesOf(account),
    follows: true,
    validate: { name: (name: string) => (name.trim() === "" ? texts.nameMissing : null) },
    variables: (values, changed) => ({
      input: {
        ...(changed("name") && { name: values.name.trim() }),
        ...Object.fromEntries(
          ENDPOINTS.filter(changed).map((name) => [name, values[name].trim() || null]),
        ),
      },
    }),
    outdated: [AccountDetailsDocument, CurrentAccountDocument],
    onDone: ({ updateAccount }, sent) => {
      showStored(form, valuesOf(updateAccount.account), sent);
      notifications.show({ message: texts.detailsSaved, color: "green" });
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg" maw={720}>
        {isKnown && !isOwner && (
          <Text size="sm" c="dimmed">
            {texts.detailsReadOnly}
          </Text>
        )}
        <Section title={texts.detailsTitle}>
          <TextInput
            label={texts.name}
            description={texts.nameText}
            autoComplete="off"
            disabled={!isOwner}
            maw={420}
            {...form.getInputProps("name")}
          />
          <SecretField
            label={applicationStrings.accountKey}
            description={texts.accountKeyText}
            value={account.accountKey}
          />
        </Section>
        <Section title={texts.endpoints} lead={texts.endpointsText}>
          {ENDPOINTS.map((name) => (
            <TextInput
              key={name}
              label={texts.endpointNames[name].label}
              description={texts.endpointNames[name].text}
              placeholder={texts.endpointDefault}
              autoComplete="off"
              spellCheck={false}
              disabled={!isOwner}
              maw={420}
              {...form.getInputProps(name)}
            />
          ))}
        </Section>
        {error && <ErrorPanel error={error} />}
      </Stack>
      <SaveBar form={form} isSending={isSending} />
    </form>
  );
}
