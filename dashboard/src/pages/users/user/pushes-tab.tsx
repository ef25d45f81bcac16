import { Anchor, Badge, Button, Group, Stack, Text } from "@mantine/core";
import { Link } from "react-router";
import { useOperation } from "../../../api/queries.ts";
import { EmptyState } from "../../../components/empty-state.tsx";
import type { Column } from "../../../components/entry-list.tsx";
import { KeysetList, usePagePosition } from "../../../components/keyset-list.tsx";
import { formatDateTime, formatNumber } from "../../../formats.ts";
import { useRole } from "../../../session/use-account.ts";
import { reasonLabel } from "../../push/push-labels.tsx";
import { pushStrings } from "../../push/strings.ts";
import { Missing, Moment } from "../cells.tsx";
import { userStrings } from "./strings.ts";
import { UserPushesDocument, type UserPushesQuery } from "./user.generated.ts";
import type { UserRef } from "./user-ref.ts";

const texts = userStrings;
type Row = UserPushesQuery["application"]["pushDeliveries"]["nodes"][number];

const COLORS = {
  ACCEPTED: "green",
  FAILED: "red",
  PENDING: "gray",
  RETRY: "orange",
  UNREGISTERED: "gray",
} as const;

/** What was sent to the user's devices, and what became of it. */
export function PushesTab({ of: { applicationId, user } }: { of: UserRef }) {
  const { canChange } = useRole();
  const position = usePagePosition();
  const query = useOperation(
    UserPushesDocument,
    { applicationId, userId: user.id, ...position },
    { keepPrevious: true },
  );
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {texts.pushesText}
        </Text>
        {canChange && (
          <Button
            component={Link}
            to={`/applications/${applicationId}/push/new?user=${user.id}`}
            variant="default"
            size="sm"
          >
            {pushStrings.compose}
          </Button>
        )}
      </Group>
      <KeysetList
        query={query}
        page={query.data?.application.pushDeliveries}
        label={texts.pushesLabel}
        columns={[timeColumn(applicationId), ...COLUMNS]}
        rowKey={({ id }) => id}
        empty={<EmptyState title={texts.pushesEmpty} text={texts.pushesEmptyText} />}
      />
    </Stack>
  );
}

/** The time of a delivery, which leads to its push with all of its deliveries. */
function timeColumn(applicationId: string): Column<Row> {
  return {
    key: "time",
    title: texts.pushTime,
    render: ({ createdAt, eventId }) => (
      <Anchor component={Link} to={`/applications/${applicationId}/push/${eventId}`} fw={600}>
        {formatDateTime(createdAt)}
      </Anchor>
    ),
  };
}

const COLUMNS: readonly Column<Row>[] = [
  {
    key: "result",
    title: texts.pushResult,
    render: ({ outcome }) => (
      <Badge color={COLORS[outcome]} variant="light" tt="none">
        {texts.pushResults[outcome]}
      </Badge>
    ),
  },
  {
    key: "reason",
    title: texts.pushReason,
    render: ({ reason }) => <Reason reason={reason} />,
  },
  {
    key: "attempts",
    title: texts.pushAttempts,
    align: "right",
    render: ({ attempts }) => formatNumber(attempts),
    wideOnly: true,
  },
  {
    key: "changed",
    title: texts.pushChanged,
    render: ({ updatedAt }) => <Moment time={updatedAt} />,
    wideOnly: true,
  },
];

/** What a reason means, with the push service's own word for it. */
function Reason({ reason }: { reason?: string | null }) {
  const words = reason ? reasonLabel(reason) : null;
  if (!words) return <span className="breakable">{reason ?? <Missing />}</span>;
  return (
    <>
      {words}
      <Text size="xs" c="dimmed" className="breakable">
        {reason}
      </Text>
    </>
  );
}
