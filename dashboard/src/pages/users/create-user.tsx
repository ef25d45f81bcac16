import { Button, Group, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useNavigate } from "react-router";
import { CancelButton, Dialog } from "../../components/dialog.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { useServiceForm } from "../../components/use-service-form.ts";
import { strings } from "../../strings.ts";
import { usersStrings } from "./strings.ts";
import { userName } from "./user-name.ts";
import { ApplicationUsersDocument, CreateUserDocument } from "./users.generated.ts";

const texts = usersStrings;

/** The dialog for a new user. */
export function CreateUser({
  applicationId,
  opened,
  onClose,
}: {
  applicationId: string;
  opened: boolean;
  onClose(): void;
}) {
  return (
    <Dialog opened={opened} onClose={onClose} title={texts.createTitle}>
      <CreateForm applicationId={applicationId} onClose={onClose} />
    </Dialog>
  );
}

function CreateForm({ applicationId, onClose }: { applicationId: string; onClose(): void }) {
  const navigate = useNavigate();
  const { form, submit, isSending, error } = useServiceForm({
    document: CreateUserDocument,
    initialValues: { fullName: "", login: "", email: "", password: "" },
    validate: {
      login: (login: string, { email }) =>
        login.trim() === "" && email.trim() === "" ? texts.nameMissing : null,
      password: (password: string) => (password === "" ? texts.passwordMissing : null),
    },
    variables: ({ fullName, login, email, password }) => ({
      input: {
        applicationId,
        password,
        ...(fullName.trim() !== "" && { fullName: fullName.trim() }),
        ...(login.trim() !== "" && { login: login.trim() }),
        ...(email.trim() !== "" && { email: email.trim() }),
      },
    }),
    outdated: [ApplicationUsersDocument],
    onDone: ({ createUser: { user } }) => {
      onClose();
      notifications.show({ message: texts.created(userName(user)), color: "green" });
      void navigate(`/applications/${applicationId}/users/${user.id}`);
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text size="sm">{texts.createText}</Text>
        <TextInput
          label={texts.fullName}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps("fullName")}
        />
        <TextInput
          label={texts.login}
          description={texts.loginText}
          autoComplete="off"
          {...form.getInputProps("login")}
        />
        <TextInput
          label={texts.email}
          type="email"
          autoComplete="off"
          {...form.getInputProps("email")}
        />
        <PasswordInput
          label={texts.password}
          description={texts.passwordText}
          required
          autoComplete="new-password"
          {...form.getInputProps("password")}
        />
        {error && <ErrorPanel error={error} />}
        <Group justify="flex-end">
          <CancelButton />
          <Button type="submit" loading={isSending}>
            {strings.common.create}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
