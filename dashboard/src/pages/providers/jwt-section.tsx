import { Badge, Button, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useChange } from "../../api/queries.ts";
import { DestroyDialog } from "../../components/destroy-dialog.tsx";
import { type Detail, Details } from "../../components/details.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { Section } from "../../components/section.tsx";
import { useRole } from "../../session/use-account.ts";
import { JwtForm } from "./jwt-form.tsx";
import {
  SignInProvidersDocument,
  type SignInProvidersQuery,
  UpdateSignInProviderDocument,
} from "./sign-in.generated.ts";
import { providersStrings } from "./strings.ts";

const texts = providersStrings;
type Application = SignInProvidersQuery["application"];

/** The JWTs by which the application's backend vouches for users: what is set, and how to change it. */
export function JwtSection({ application }: { application: Application }) {
  const { canChange } = useRole();
  const { jwt } = application;
  return (
    <Section
      title={texts.jwt.title}
      lead={texts.jwt.lead}
      actions={
        <Badge variant="light" color={jwt ? "green" : "gray"} tt="none" miw="max-content">
          {jwt ? texts.status.set : texts.status.notSet}
        </Badge>
      }
    >
      {jwt ? <Details details={detailsOf(jwt)} /> : <Text size="sm">{texts.jwt.off}</Text>}
      {canChange && <Actions application={application} />}
    </Section>
  );
}

function detailsOf({ algorithm, subject, jwksUrl }: NonNullable<Application["jwt"]>): Detail[] {
  return [
    { title: texts.jwt.algorithm, value: algorithm },
    { title: texts.jwt.subject, value: texts.jwt.subjects[subject] },
    jwksUrl
      ? { title: texts.jwt.jwksUrl, value: jwksUrl }
      : { title: texts.jwt.secret, value: texts.signIn.secretSet },
  ];
}

function Actions({ application }: { application: Application }) {
  const { id: applicationId, jwt } = application;
  const { title } = texts.jwt;
  const [isSetting, setting] = useDisclosure();
  const [isClearing, clearing] = useDisclosure();
  const clear = useChange(UpdateSignInProviderDocument, [SignInProvidersDocument]);
  const remove = () =>
    clear.mutate(
      { input: { applicationId, jwt: null } },
      { onSuccess: () => notifications.show({ message: texts.cleared(title), color: "green" }) },
    );
  return (
    <>
      {clear.error && <ErrorPanel error={clear.error} />}
      <Group gap="xs">
        <Button
          variant={jwt ? "default" : "filled"}
          aria-label={jwt ? texts.replaceOf(title) : texts.setOf(title)}
          onClick={() => {
            clear.reset();
            setting.open();
          }}
        >
          {jwt ? texts.replace : texts.set}
        </Button>
        {jwt && (
          <Button
            variant="subtle"
            color="red"
            aria-label={texts.clearOf(title)}
            loading={clear.isPending}
            onClick={clearing.open}
          >
            {texts.clear}
          </Button>
        )}
      </Group>
      <Dialog opened={isSetting} onClose={setting.close} title={texts.jwt.dialog}>
        <JwtForm application={application} onClose={setting.close} />
      </Dialog>
      <DestroyDialog
        opened={isClearing}
        onClose={clearing.close}
        title={texts.clearTitle(title)}
        lost={texts.jwt.clearLost}
        action={texts.clearSubmit}
        onConfirm={remove}
      />
    </>
  );
}
