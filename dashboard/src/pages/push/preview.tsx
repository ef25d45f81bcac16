import {
  Alert,
  Badge,
  Group,
  List,
  Progress,
  SegmentedControl,
  Skeleton,
  Stack,
  Text,
  useComputedColorScheme,
} from "@mantine/core";
import { useState } from "react";
import { useOperation } from "../../api/queries.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { Section } from "../../components/section.tsx";
import { formatNumber } from "../../formats.ts";
import { useAccount } from "../../session/use-account.ts";
import {
  type CreatePushEventInput,
  PreviewPushDocument,
  type PreviewPushMutation,
} from "./compose.generated.ts";
import { JsonBlock } from "./json-block.tsx";
import { type Scheme, Screen } from "./screen.tsx";
import { pushStrings } from "./strings.ts";

const texts = pushStrings.preview;
type DryRun = NonNullable<PreviewPushMutation["createPushEvent"]["dryRun"]>;
const SCHEMES = ["light", "dark"] as const;

/** What each platform would get and show, by a dry run of the service. */
export function Preview({
  applicationId,
  input,
}: {
  applicationId: string;
  /** Null while something is missing. */
  input: CreatePushEventInput | null;
}) {
  const own = useComputedColorScheme("light", { getInitialValueInEffect: false });
  const [chosen, setChosen] = useState<Scheme | null>(null);
  const scheme = chosen ?? own;
  const { data: account } = useAccount();
  const app = account?.account.applications.find(({ id }) => id === applicationId)?.name ?? "";
  const query = useOperation(
    PreviewPushDocument,
    { input: input as CreatePushEventInput },
    { enabled: input !== null, keepPrevious: true },
  );
  const dryRun = input === null ? null : query.data?.createPushEvent.dryRun;
  return (
    <div className="preview">
      <Section
        title={texts.title}
        lead={texts.lead}
        actions={
          <SegmentedControl
            size="xs"
            flex="none"
            aria-label={texts.colors}
            data={SCHEMES.map((value) => ({ value, label: texts.schemes[value] }))}
            value={scheme}
            onChange={(value) => setChosen(value as Scheme)}
          />
        }
      >
        {input === null && <EmptyState title={texts.waiting} text={texts.waitingText} />}
        {input !== null && query.error && (
          <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
        )}
        {input !== null && !query.error && !dryRun && <Skeleton height={220} />}
        {dryRun && !query.error && (
          <Stack gap="xl" aria-busy={query.isPlaceholderData}>
            <Refusal problems={dryRun.problems} />
            {dryRun.channels.map((each) => (
              <Channel key={each.channel} result={each} app={app} scheme={scheme} />
            ))}
          </Stack>
        )}
      </Section>
    </div>
  );
}

function Refusal({ problems }: { problems: DryRun["problems"] }) {
  if (problems.length === 0) return null;
  return (
    <Alert color="orange" variant="light" title={texts.refused}>
      {problems.map((problem) => (
        <Text size="sm" key={problem}>
          {problem}
        </Text>
      ))}
    </Alert>
  );
}

/** A platform: its screen beside what it gets, its size, and what would not arrive. */
function Channel({
  result,
  app,
  scheme,
}: {
  result: DryRun["channels"][number];
  app: string;
  scheme: Scheme;
}) {
  const { channel, deviceCount, more, headers, payload, bytes, maxBytes, problems } = result;
  const name = pushStrings.channels[channel];
  const isTooLarge = bytes > maxBytes;
  const devices = pushStrings.devices(deviceCount);
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Text component="h3" fw={600} size="md" m={0}>
          {name}
        </Text>
        <Badge variant="light" color={result.sendable ? "green" : "orange"} tt="none">
          {more ? pushStrings.new.atLeast(devices) : devices}
        </Badge>
      </Group>
      <div className="channel">
        <Screen channel={channel} display={result.display} app={app} scheme={scheme} />
        <div>
          {Object.keys(headers).length > 0 && (
            <Text size="xs" c="dimmed" mb={4} className="headers">
              {Object.entries(headers)
                .map(([key, value]) => `${key}: ${String(value)}`)
                .join(" · ")}
            </Text>
          )}
          <JsonBlock label={texts.payloadOf(name)} value={payload} />
        </div>
      </div>
      <Group gap="sm" wrap="nowrap">
        <Progress
          value={(100 * bytes) / maxBytes}
          color={isTooLarge ? "red" : "indigo"}
          size="sm"
          flex={1}
          aria-label={texts.sizeLabel(name)}
        />
        <Text size="xs" c={isTooLarge ? "red" : "dimmed"}>
          {texts.size(formatNumber(bytes), formatNumber(maxBytes))}
        </Text>
      </Group>
      {problems.length > 0 && (
        <Alert color="orange" variant="light" p="sm" title={texts.problems}>
          <List size="sm" spacing={2}>
            {problems.map((problem) => (
              <List.Item key={problem}>{problem}</List.Item>
            ))}
          </List>
        </Alert>
      )}
    </Stack>
  );
}
