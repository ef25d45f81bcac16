import { Badge, Button, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useChange } from "../../api/queries.ts";
import { DestroyDialog } from "../../components/destroy-dialog.tsx";
import { Details } from "../../components/details.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { Section } from "../../components/section.tsx";
import { useRole } from "../../session/use-account.ts";
import { CheckResult } from "./check-result.tsx";
import {
  CheckSignInProviderDocument,
  SignInProvidersDocument,
  type SignInProvidersQuery,
  UpdateSignInProviderDocument,
} from "./sign-in.generated.ts";
import { SignInForm } from "./sign-in-form.tsx";
import { type ProviderRow, providerDetails, settingsOf } from "./sign-in-providers.ts";
import { providersStrings } from "./strings.ts";

const texts = providersStrings;
type Application = SignInProvidersQuery["application"];

/** One sign-in provider: what is set, whether the provider takes it, and how to change it. */
export function SignInSection({
  application,
  row,
}: {
  application: Application;
  row: ProviderRow;
}) {
  const { canChange } = useRole();
  const { provider } = row;
  const name = texts.signIn.names[provider];
  const settings = settingsOf(application, row);
  return (
    <Section
      title={name}
      lead={texts.signIn.texts[provider]}
      actions={
        <Badge variant="light" color={settings ? "green" : "gray"} tt="none" miw="max-content">
          {settings ? texts.status.set : texts.status.notSet}
        </Badge>
      }
    >
      {settings ? (
        <Details details={providerDetails(application, row)} />
      ) : (
        <Text size="sm">{texts.signIn.off(texts.signIn.by[provider])}</Text>
      )}
      {canChange && <Actions application={application} row={row} isSet={settings !== null} />}
    </Section>
  );
}

function Actions({
  application,
  row,
  isSet,
}: {
  application: Application;
  row: ProviderRow;
  isSet: boolean;
}) {
  const { provider, group } = row;
  const name = texts.signIn.names[provider];
  const [isSetting, setting] = useDisclosure();
  const [isClearing, clearing] = useDisclosure();
  const check = useChange(CheckSignInProviderDocument);
  const clear = useChange(UpdateSignInProviderDocument, [SignInProvidersDocument]);
  const result = check.data?.checkProvider;
  const reset = () => {
    check.reset();
    clear.reset();
  };
  const remove = () => {
    reset();
    clear.mutate(
      { input: { applicationId: application.id, [group]: null } },
      { onSuccess: () => notifications.show({ message: texts.cleared(name), color: "green" }) },
    );
  };
  const error = check.error ?? clear.error;
  return (
    <>
      {result && <CheckResult {...result} />}
      {error && <ErrorPanel error={error} />}
      <Group gap="xs">
        <Button
          variant={isSet ? "default" : "filled"}
          aria-label={isSet ? texts.replaceOf(name) : texts.setOf(name)}
          onClick={() => {
            reset();
            setting.open();
          }}
        >
          {isSet ? texts.replace : texts.set}
        </Button>
        {isSet && (
          <>
            <Button
              variant="default"
              aria-label={texts.testOf(name)}
              loading={check.isPending}
              onClick={() => {
                reset();
                check.mutate({ input: { applicationId: application.id, provider } });
              }}
            >
              {texts.test}
            </Button>
            <Button
              variant="subtle"
              color="red"
              aria-label={texts.clearOf(name)}
              loading={clear.isPending}
              onClick={clearing.open}
            >
              {texts.clear}
            </Button>
          </>
        )}
      </Group>
      <Dialog
        opened={isSetting}
        onClose={setting.close}
        title={texts.signIn.dialog(texts.signIn.by[provider])}
      >
        <SignInForm application={application} row={row} onClose={setting.close} />
      </Dialog>
      <DestroyDialog
        opened={isClearing}
        onClose={clearing.close}
        title={texts.clearTitle(name)}
        lost={texts.signIn.clearLost(texts.signIn.by[provider])}
        action={texts.clearSubmit}
        onConfirm={remove}
      />
    </>
  );
}
