import { Badge, Stack, Text, Title } from "@mantine/core";
import { EmptyState } from "../../components/empty-state.tsx";
import { type Column, EntryList } from "../../components/entry-list.tsx";
import { formatDateTime, formatNumber, formatRelative } from "../../formats.ts";
import type { HealthQuery } from "./health.generated.ts";
import { healthStrings } from "./strings.ts";

const texts = healthStrings;
type Node = HealthQuery["health"]["nodes"][number];

const COLUMNS: readonly Column<Node>[] = [
  {
    key: "host",
    title: texts.host,
    render: ({ host, port, id }) => (
      <>
        <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
          {addressOf({ host, port })}
        </Text>
        <Text size="xs" c="dimmed">
          {id}
        </Text>
      </>
    ),
  },
  {
    key: "state",
    title: texts.state,
    render: ({ missing, seenAt }) => (
      <>
        <Badge variant="light" color={missing ? "red" : "green"} tt="none">
          {missing ? texts.missing : texts.running}
        </Badge>
        {missing && (
          <Text size="xs" c="dimmed">
            {texts.seen(formatRelative(seenAt))}
          </Text>
        )}
      </>
    ),
  },
  { key: "version", title: texts.version, render: ({ version }) => version },
  {
    key: "started",
    title: texts.started,
    render: ({ startedAt }) => (
      <Text size="sm" span title={formatDateTime(startedAt)}>
        {formatRelative(startedAt)}
      </Text>
    ),
  },
  {
    key: "sockets",
    title: texts.sockets,
    render: ({ openSockets }) => formatNumber(openSockets),
    align: "right",
  },
  {
    key: "delay",
    title: texts.delay,
    render: ({ eventLoopDelayMs }) => texts.milliseconds(formatNumber(eventLoopDelayMs)),
    align: "right",
    wideOnly: true,
  },
];

/** The machine of a node, with its port unless the system chose it. */
const addressOf = ({ host, port }: Pick<Node, "host" | "port">) =>
  port === 0 ? host : `${host}:${port}`;

/** The nodes that run or are missing. */
export function Nodes({ nodes, answering }: { nodes: readonly Node[]; answering: string }) {
  const checker = nodes.find(({ id }) => id === answering);
  return (
    <Stack gap="xs" component="section">
      <Title order={2} size="h4">
        {texts.nodes}
      </Title>
      <EntryList
        label={texts.nodes}
        columns={COLUMNS}
        rows={nodes}
        rowKey={({ id }) => id}
        empty={<EmptyState title={texts.noNodes} text={texts.noNodesText} />}
      />
      {nodes.length > 1 && (
        <Text size="xs" c="dimmed">
          {texts.answering(checker ? addressOf(checker) : answering)}
        </Text>
      )}
    </Stack>
  );
}
