import {
  CheckCircleIcon,
  ExclamationTriangleIcon,
  MinusCircleIcon,
  XCircleIcon,
} from "@heroicons/react/24/outline";
import { Button, Paper, Text, Title, VisuallyHidden } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useId } from "react";
import { checkName } from "./check-name.ts";
import type { HealthQuery } from "./health.generated.ts";
import { healthStrings } from "./strings.ts";

const texts = healthStrings;
type Check = HealthQuery["health"]["checks"][number];

/** Outcomes in the order of their urgency. */
const STATUSES = ["ERROR", "WARNING", "OK", "SKIPPED"] as const;
const ICONS = {
  ERROR: { Icon: XCircleIcon, color: "red" },
  WARNING: { Icon: ExclamationTriangleIcon, color: "yellow" },
  OK: { Icon: CheckCircleIcon, color: "green" },
  SKIPPED: { Icon: MinusCircleIcon, color: "gray" },
} as const;

/** What the checks have found, problems first, in the words of doctor. Those that did not apply are shown on request. */
export function Checks({ checks }: { checks: readonly Check[] }) {
  const id = useId();
  const [isWhole, { toggle }] = useDisclosure();
  const sorted = [...checks].sort(
    (a, b) => STATUSES.indexOf(a.status) - STATUSES.indexOf(b.status),
  );
  const skipped = sorted.filter(({ status }) => status === "SKIPPED").length;
  const shown = isWhole ? sorted : sorted.slice(0, sorted.length - skipped);
  return (
    <Paper withBorder component="section" aria-labelledby={id}>
      <Title order={2} size="h4" id={id} px="lg" pt="lg">
        {texts.checks}
      </Title>
      <ul className="checks">
        {shown.map((check) => (
          <CheckLine key={`${check.name} ${check.detail}`} check={check} />
        ))}
      </ul>
      {skipped > 0 && (
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          mx="sm"
          mb="sm"
          aria-expanded={isWhole}
          onClick={toggle}
        >
          {isWhole ? texts.hideSkipped : texts.showSkipped(skipped)}
        </Button>
      )}
    </Paper>
  );
}

function CheckLine({ check: { name, status, detail, fix } }: { check: Check }) {
  const { Icon, color } = ICONS[status];
  return (
    <li>
      <Icon width={20} color={`var(--mantine-color-${color}-text)`} aria-hidden />
      <Text size="sm" fw={600}>
        <VisuallyHidden>{texts.statuses[status]}: </VisuallyHidden>
        {checkName(name)}
      </Text>
      <div>
        <Text size="sm" {...(status === "SKIPPED" && { c: "dimmed" })}>
          {detail}
        </Text>
        {fix && (
          <Text size="sm" mt={2} c="dimmed">
            {texts.fix(fix)}
          </Text>
        )}
      </div>
    </li>
  );
}
