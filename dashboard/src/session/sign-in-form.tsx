import { Anchor, Button, Collapse, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import type { SignalboxError } from "@signalbox/client";
import { type ReactNode, useEffect, useState } from "react";
import { asServiceError } from "../api/errors.ts";
import { session } from "../api/session.ts";
import { ErrorPanel } from "../components/error-panel.tsx";
import { signInStrings } from "./strings.ts";

const texts = signInStrings;

/** Seconds until a limit allows the next attempt; 0 if none waits. */
function useWait(error: SignalboxError | null): number {
  const [left, setLeft] = useState(0);
  useEffect(() => {
    const until = Date.now() + (error?.retryAfter ?? 0) * 1_000;
    const update = () => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1_000)));
    update();
    const timer = setInterval(update, 500);
    return () => clearInterval(timer);
  }, [error]);
  return left;
}

/** The form that signs a member in, on its own page and over another one. */
export function SignInForm({ email, children }: { email?: string | null; children?: ReactNode }) {
  const form = useForm({
    // The page below may have a field of the same name.
    name: "sign-in",
    initialValues: { email: email ?? "", password: "" },
    validate: {
      email: (text) => (text.trim() === "" ? texts.missingEmail : null),
      password: (text) => (text === "" ? texts.missingPassword : null),
    },
  });
  const [error, setError] = useState<SignalboxError | null>(null);
  const [isSending, setSending] = useState(false);
  const [isForgotten, { toggle }] = useDisclosure();
  const wait = useWait(error);
  const send = async ({ email: typed, password }: { email: string; password: string }) => {
    setSending(true);
    setError(null);
    try {
      await session.signIn({ email: typed.trim(), password });
    } catch (problem) {
      setError(asServiceError(problem));
      form.setFieldValue("password", "");
      form.getInputNode("password")?.focus();
    } finally {
      setSending(false);
    }
  };
  return (
    <form onSubmit={form.onSubmit((values) => void send(values))} noValidate>
      <Stack>
        <TextInput
          label={texts.email}
          type="email"
          autoComplete="username"
          data-autofocus={email ? undefined : true}
          {...form.getInputProps("email")}
        />
        <PasswordInput
          label={texts.password}
          autoComplete="current-password"
          data-autofocus={email ? true : undefined}
          {...form.getInputProps("password")}
        />
        {error && <ErrorPanel error={error} />}
        {wait > 0 && (
          <Text size="sm" role="timer">
            {texts.wait(wait)}
          </Text>
        )}
        <Button type="submit" fullWidth loading={isSending} disabled={wait > 0}>
          {texts.submit}
        </Button>
        <Anchor
          component="button"
          type="button"
          size="sm"
          onClick={toggle}
          aria-expanded={isForgotten}
        >
          {texts.forgotten}
        </Anchor>
        <Collapse in={isForgotten}>
          <Text size="sm" c="dimmed">
            {texts.forgottenText}
          </Text>
        </Collapse>
        {children}
      </Stack>
    </form>
  );
}
