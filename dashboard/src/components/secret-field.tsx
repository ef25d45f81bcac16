import {
  ClipboardDocumentCheckIcon,
  ClipboardDocumentIcon,
  EyeIcon,
  EyeSlashIcon,
} from "@heroicons/react/24/outline";
import { ActionIcon, CopyButton, Group, Input, Loader, Paper, Text, Tooltip } from "@mantine/core";
import type { SignalboxError } from "@signalbox/client";
import { useId, useState } from "react";
import { asServiceError } from "../api/errors.ts";
import { strings } from "../strings.ts";
import { ErrorText } from "./error-panel.tsx";

/** A button that copies a text. A page that is not served securely has no clipboard, and no button. */
export function CopyTextButton({ value, name }: { value: string; name: string }) {
  if (!navigator.clipboard) return null;
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => {
        const label = copied ? strings.common.copied : strings.secret.copy(name);
        const Icon = copied ? ClipboardDocumentCheckIcon : ClipboardDocumentIcon;
        return (
          <Tooltip label={label}>
            <ActionIcon variant="subtle" color="gray" onClick={copy} aria-label={label}>
              <Icon width={20} aria-hidden />
            </ActionIcon>
          </Tooltip>
        );
      }}
    </CopyButton>
  );
}

/**
 * A value to copy. A secret is asked for when it is shown, so that no other answer holds it.
 * @param value as it is, or a function that reads a secret
 */
export function SecretField({
  label,
  description,
  value,
}: {
  label: string;
  description?: string;
  value: string | (() => Promise<string>);
}) {
  const id = useId();
  const [revealed, setRevealed] = useState<string | null>(null);
  const [isLoading, setLoading] = useState(false);
  const [error, setError] = useState<SignalboxError | null>(null);
  const isSecret = typeof value !== "string";
  const shown = isSecret ? revealed : value;
  const reveal = async () => {
    if (!isSecret || isLoading) return;
    setLoading(true);
    setError(null);
    try {
      setRevealed(await value());
    } catch (problem) {
      setError(asServiceError(problem));
    } finally {
      setLoading(false);
    }
  };
  const toggle = revealed === null ? strings.secret.reveal(label) : strings.secret.hide(label);
  const Icon = revealed === null ? EyeIcon : EyeSlashIcon;
  return (
    <Input.Wrapper label={label} description={description} id={id} labelElement="div">
      <Paper withBorder px="sm" py={4} mt={4}>
        <Group wrap="nowrap" gap={4} justify="space-between" mih={32}>
          {shown === null ? (
            <Text size="sm" aria-label={strings.secret.hidden} role="img">
              ••••••••••••
            </Text>
          ) : (
            <Text size="sm" className="secret" data-testid={`value of ${label}`}>
              {shown}
            </Text>
          )}
          <Group gap={2} wrap="nowrap">
            {isSecret && (
              <Tooltip label={toggle}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  // A disabled button would lose the focus.
                  aria-busy={isLoading}
                  aria-label={toggle}
                  onClick={() => (revealed === null ? void reveal() : setRevealed(null))}
                >
                  {isLoading ? <Loader size={16} /> : <Icon width={20} aria-hidden />}
                </ActionIcon>
              </Tooltip>
            )}
            {shown !== null && <CopyTextButton value={shown} name={label} />}
          </Group>
        </Group>
      </Paper>
      {error && (
        <Input.Error component="div" role="alert">
          <ErrorText error={error} />
        </Input.Error>
      )}
    </Input.Wrapper>
  );
}
