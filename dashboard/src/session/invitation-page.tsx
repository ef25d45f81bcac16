import { Button, PasswordInput, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { SignalboxError } from "@signalbox/client";
import { useState } from "react";
import { asServiceError, formErrors } from "../api/errors.ts";
import { session } from "../api/session.ts";
import { ErrorPanel } from "../components/error-panel.tsx";
import { Entrance } from "./entrance.tsx";
import { invitationStrings } from "./strings.ts";

const texts = invitationStrings;

/** The page that the link of an invitation opens: the receiver chooses a password, and is signed in. */
export function InvitationPage({ secret, onLeave }: { secret: string; onLeave(): void }) {
  const form = useForm({
    initialValues: { password: "", repeat: "" },
    validate: {
      password: (text) => (text === "" ? texts.missing : null),
      repeat: (text, { password }) => (text === password ? null : texts.different),
    },
  });
  const [error, setError] = useState<SignalboxError | null>(null);
  const [isSending, setSending] = useState(false);
  const send = async ({ password }: { password: string }) => {
    setSending(true);
    setError(null);
    try {
      await session.acceptInvitation({ secret, password });
      onLeave();
    } catch (problem) {
      const { fields, rest } = formErrors(asServiceError(problem), ["password"]);
      form.setErrors(fields);
      setError(rest);
      setSending(false);
    }
  };
  return (
    <Entrance title={texts.title} lead={texts.lead}>
      <form onSubmit={form.onSubmit((values) => void send(values))} noValidate>
        <Stack>
          <PasswordInput
            label={texts.password}
            description={texts.passwordText}
            autoComplete="new-password"
            {...form.getInputProps("password")}
          />
          <PasswordInput
            label={texts.repeat}
            autoComplete="new-password"
            {...form.getInputProps("repeat")}
          />
          {error && <ErrorPanel error={error} />}
          {error?.fields.secret && <Text size="sm">{texts.dead}</Text>}
          <Button type="submit" fullWidth loading={isSending}>
            {texts.submit}
          </Button>
          <Button variant="subtle" color="gray" onClick={onLeave}>
            {texts.leave}
          </Button>
        </Stack>
      </form>
    </Entrance>
  );
}
