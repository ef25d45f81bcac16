import { ExclamationTriangleIcon } from "@heroicons/react/24/outline";
import { Alert, Button, Code, Stack, Text } from "@mantine/core";
import type { SignalboxError } from "@signalbox/client";
import { strings } from "../strings.ts";

/** What an error means, in a few words. */
export function errorTitle({ code }: SignalboxError): string {
  return strings.errors.titles[code] ?? strings.errors.other;
}

/** An error with the service's words, the request id to look up in its log, and a button to try again. */
export function ErrorPanel({ error, onRetry }: { error: SignalboxError; onRetry?: () => void }) {
  return (
    <Alert
      role="alert"
      color="red"
      variant="light"
      title={errorTitle(error)}
      icon={<ExclamationTriangleIcon aria-hidden />}
    >
      <Stack gap="xs" align="flex-start">
        <ErrorText error={error} />
        {onRetry && (
          <Button variant="default" size="xs" onClick={onRetry}>
            {strings.common.retry}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** The service's words and the request id. */
export function ErrorText({ error }: { error: SignalboxError }) {
  return (
    <>
      <Text size="sm">{error.message}</Text>
      {error.retryAfter !== null && (
        <Text size="sm">{strings.errors.retryAfter(Math.ceil(error.retryAfter))}</Text>
      )}
      {error.requestId && (
        <Text size="xs">
          {strings.common.requestId}: <Code>{error.requestId}</Code>
        </Text>
      )}
    </>
  );
}
