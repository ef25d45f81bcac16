import { Button, Group, PasswordInput, Stack } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { DestroyDialog } from "../../../components/destroy-dialog.tsx";
import { ErrorPanel } from "../../../components/error-panel.tsx";
import { Section } from "../../../components/section.tsx";
import { useUnsaved } from "../../../components/unsaved.ts";
import { useServiceForm } from "../../../components/use-service-form.ts";
import { usersStrings } from "../strings.ts";
import { userStrings } from "./strings.ts";
import { UpdateUserDocument, UserSessionsDocument } from "./user.generated.ts";
import type { UserRef } from "./user-ref.ts";

const texts = userStrings;

/** Sets a new password, which signs the user out everywhere. */
export function PasswordSection({ of: { user, name } }: { of: UserRef }) {
  const { form, submit, isSending, error, question } = useServiceForm({
    document: UpdateUserDocument,
    initialValues: { password: "" },
    validate: { password: (text: string) => (text === "" ? texts.passwordMissing : null) },
    variables: ({ password }) => ({ input: { id: user.id, password } }),
    asks: () => true,
    outdated: [UserSessionsDocument],
    onDone: () => {
      form.reset();
      notifications.show({ message: texts.passwordSaved, color: "green" });
    },
  });
  useUnsaved(form.isDirty());
  return (
    <Section title={texts.newPassword} lead={texts.newPasswordText}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <Group align="flex-start" gap="sm">
            <PasswordInput
              aria-label={texts.newPassword}
              placeholder={usersStrings.passwordText}
              autoComplete="new-password"
              w={{ base: "100%", xs: 320 }}
              {...form.getInputProps("password")}
            />
            <Button type="submit" variant="default" loading={isSending}>
              {texts.passwordSubmit}
            </Button>
          </Group>
          {error && <ErrorPanel error={error} />}
        </Stack>
      </form>
      <DestroyDialog
        {...question}
        title={texts.passwordTitle(name)}
        lost={texts.passwordLost}
        action={texts.passwordSubmit}
      />
    </Section>
  );
}
