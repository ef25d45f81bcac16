import { Alert } from "@mantine/core";

const COLORS = {
  ACCEPTED: "green",
  REFUSED: "red",
  UNREACHABLE: "orange",
  NOT_SET: "orange",
} as const;

/** What a service has answered to a test, as a sentence. */
export function CheckResult({
  outcome,
  message,
}: {
  outcome: keyof typeof COLORS;
  message: string;
}) {
  return (
    <Alert role="status" color={COLORS[outcome]} variant="light" p="sm">
      {message}
    </Alert>
  );
}
