import { Button, Group, PasswordInput, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { session } from "../../api/session.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { Consequences, signOutConsequences } from "../../components/consequences.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { Section } from "../../components/section.tsx";
import { useUnsaved } from "../../components/unsaved.ts";
import { useServiceForm } from "../../components/use-service-form.ts";
import { CurrentAccountDocument } from "../../session/account.generated.ts";
import { invitationStrings } from "../../session/strings.ts";
import { useAccount } from "../../session/use-account.ts";
import { strings } from "../../strings.ts";
import { MembersDocument } from "./members.generated.ts";
import { UpdateCurrentMemberDocument } from "./profile.generated.ts";
import { type AccountRole, RoleLabel } from "./role.tsx";
import { accountStrings } from "./strings.ts";

const texts = accountStrings;

/** What members change of themselves, whatever their role. */
export function ProfileTab() {
  const query = useAccount();
  const member = query.data?.currentMember;
  if (!member) {
    if (query.error) {
      return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />;
    }
    return (
      <Stack aria-busy>
        <Skeleton height={160} />
        <Skeleton height={280} />
      </Stack>
    );
  }
  const { id, email, role } = member;
  return (
    <Stack gap="lg" maw={720} key={id}>
      <OwnRole role={role} />
      <EmailForm email={email} />
      <PasswordForm email={email} />
      <SignOutEverywhere />
    </Stack>
  );
}

function OwnRole({ role }: { role: AccountRole }) {
  return (
    <Section title={texts.yourRole} actions={<RoleLabel role={role} />}>
      <Text size="sm">{texts.roles[role].yours}</Text>
    </Section>
  );
}

/** Asks for the password only once there is another address to save. */
function EmailForm({ email: current }: { email: string }) {
  const { form, submit, isSending, error } = useServiceForm({
    document: UpdateCurrentMemberDocument,
    initialValues: { email: current, oldPassword: "" },
    validate: {
      email: (email: string) => (email.trim() === "" ? texts.emailMissing : null),
      oldPassword: (password: string) => (password === "" ? texts.oldPasswordMissing : null),
    },
    variables: ({ email, oldPassword }) => ({ input: { email: email.trim(), oldPassword } }),
    outdated: [CurrentAccountDocument, MembersDocument],
    onDone: ({ updateCurrentMember: { member } }) => {
      const saved = { email: member.email, oldPassword: "" };
      form.setInitialValues(saved);
      form.setValues(saved);
      form.resetDirty(saved);
      notifications.show({ message: texts.emailChanged(member.email), color: "green" });
    },
  });
  useUnsaved(form.isDirty());
  const isChanged = form.values.email.trim() !== current;
  return (
    <form onSubmit={submit} noValidate>
      <Section title={texts.emailTitle} lead={texts.emailText}>
        <TextInput
          label={texts.email}
          type="email"
          autoComplete="username"
          maw={420}
          {...form.getInputProps("email")}
        />
        {isChanged && (
          <>
            <PasswordInput
              label={texts.oldPassword}
              description={texts.oldPasswordText}
              autoComplete="current-password"
              maw={420}
              {...form.getInputProps("oldPassword")}
            />
            {error && <ErrorPanel error={error} />}
            <Group gap="xs">
              <Button type="submit" loading={isSending}>
                {texts.emailSubmit}
              </Button>
              <Button variant="default" onClick={() => form.reset()} disabled={isSending}>
                {strings.common.discard}
              </Button>
            </Group>
          </>
        )}
      </Section>
    </form>
  );
}

function PasswordForm({ email }: { email: string }) {
  const { form, submit, isSending, error } = useServiceForm({
    document: UpdateCurrentMemberDocument,
    initialValues: { oldPassword: "", password: "", repeat: "" },
    validate: {
      oldPassword: (password: string) => (password === "" ? texts.oldPasswordMissing : null),
      password: (password: string) => (password === "" ? texts.passwordMissing : null),
      repeat: (repeat: string, { password }) =>
        repeat === password ? null : invitationStrings.different,
    },
    variables: ({ oldPassword, password }) => ({ input: { oldPassword, password } }),
    onDone: () => {
      form.reset();
      notifications.show({ message: texts.passwordChanged, color: "green" });
    },
  });
  useUnsaved(form.isDirty());
  return (
    <form onSubmit={submit} noValidate>
      <Section title={texts.passwordTitle} lead={texts.passwordText}>
        {/* Password managers learn from it whose password this is. */}
        <input type="text" autoComplete="username" value={email} readOnly hidden />
        <PasswordInput
          label={texts.oldPassword}
          autoComplete="current-password"
          maw={420}
          {...form.getInputProps("oldPassword")}
        />
        <PasswordInput
          label={texts.password}
          description={invitationStrings.passwordText}
          autoComplete="new-password"
          maw={420}
          {...form.getInputProps("password")}
        />
        <PasswordInput
          label={texts.repeat}
          autoComplete="new-password"
          maw={420}
          {...form.getInputProps("repeat")}
        />
        {error && <ErrorPanel error={error} />}
        <Group>
          <Button type="submit" loading={isSending}>
            {texts.passwordSubmit}
          </Button>
        </Group>
      </Section>
    </form>
  );
}

function SignOutEverywhere() {
  const [isAsking, { open, close }] = useDisclosure();
  const lost = signOutConsequences();
  return (
    <Section title={texts.everywhere} lead={texts.everywhereText}>
      <Group>
        <Button variant="outline" color="red" onClick={open}>
          {texts.everywhereOpen}
        </Button>
      </Group>
      <ConfirmDialog
        opened={isAsking}
        onClose={close}
        title={texts.everywhere}
        action={texts.everywhereSubmit}
        isDestructive
        onConfirm={() => session.signOutEverywhere()}
      >
        <Text size="sm">{texts.everywhereAsk}</Text>
        {lost.length > 0 && <Consequences lead={strings.shell.leaveLead} lost={lost} />}
      </ConfirmDialog>
    </Section>
  );
}
