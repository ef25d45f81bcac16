import { Anchor, Badge, Button, Select, Text } from "@mantine/core";
import { Link } from "react-router";
import { useOperation } from "../../api/queries.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import type { Column } from "../../components/entry-list.tsx";
import { KeysetList, usePagePosition } from "../../components/keyset-list.tsx";
import { formatDateTime, formatNumber, formatRelative } from "../../formats.ts";
import {
  type EventFieldsFragment,
  PushDeliveriesDocument,
  type PushDeliveriesQuery,
  type PushOutcome,
} from "./events.generated.ts";
import { reasonLabel } from "./push-labels.tsx";
import { pushStrings } from "./strings.ts";

const texts = pushStrings.deliveries;
type Delivery = PushDeliveriesQuery["pushDeliveries"]["nodes"][number];
const COLORS = {
  ACCEPTED: "green",
  UNREGISTERED: "orange",
  FAILED: "red",
  PENDING: "gray",
  RETRY: "yellow",
} as const;
const OUTCOMES = ["ACCEPTED", "UNREGISTERED", "FAILED", "PENDING", "RETRY"] as const;

/** The deliveries of an event, one per device and time that it was sent, with the reason of each outcome in words. */
export function Deliveries({
  event,
  outcome,
  onOutcome,
  showsChannel,
}: {
  event: EventFieldsFragment;
  /** Empty for all. */
  outcome: string;
  onOutcome(outcome: string): void;
  showsChannel: boolean;
}) {
  const position = usePagePosition();
  const wanted = OUTCOMES.find((each) => each === outcome);
  const query = useOperation(
    PushDeliveriesDocument,
    { eventId: event.id, ...(wanted && { outcome: wanted as PushOutcome }), ...position },
    { keepPrevious: true },
  );
  const { title } = texts;
  return (
    <section aria-label={title}>
      <div className="section-head deliveries-head">
        <Text component="h2" fw={650} size="lg" m={0}>
          {showsChannel ? texts.titleOf(pushStrings.channels[event.channel]) : title}
        </Text>
        <Select
          aria-label={texts.filter}
          data={[
            { value: "", label: texts.all },
            ...OUTCOMES.map((value) => ({ value, label: pushStrings.outcomes[value] })),
          ]}
          value={wanted ?? ""}
          onChange={(value) => onOutcome(value ?? "")}
          allowDeselect={false}
          w={200}
        />
      </div>
      <KeysetList
        query={query}
        page={query.data?.pushDeliveries}
        label={texts.listLabel}
        columns={columnsFor(event.applicationId)}
        rowKey={({ id }) => id}
        empty={<Empty event={event} outcome={wanted ?? null} onOutcome={onOutcome} />}
      />
    </section>
  );
}

function Empty({
  event: { state, pendingCount },
  outcome,
  onOutcome,
}: {
  event: EventFieldsFragment;
  outcome: (typeof OUTCOMES)[number] | null;
  onOutcome(outcome: string): void;
}) {
  // The number of those that wait includes those that were tried.
  if (outcome === "PENDING" && pendingCount > 0) {
    const action = (
      <Button variant="default" size="compact-sm" onClick={() => onOutcome("RETRY")}>
        {texts.showRetried}
      </Button>
    );
    return <EmptyState title={texts.emptyWaiting} text={texts.emptyWaitingText} action={action} />;
  }
  if (outcome) return <EmptyState title={texts.emptyFilter} text={texts.emptyFilterText} />;
  const text = {
    SCHEDULED: texts.emptyScheduled,
    SENDING: texts.emptySending,
    FINISHED: texts.emptyFinished,
  }[state];
  return <EmptyState title={texts.empty} text={text} />;
}

function columnsFor(applicationId: string): Column<Delivery>[] {
  return [
    {
      key: "user",
      title: texts.user,
      render: ({ userId }) =>
        userId ? (
          <Anchor
            component={Link}
            to={`/applications/${applicationId}/users/${userId}`}
            size="sm"
            fw={600}
          >
            {userId}
          </Anchor>
        ) : (
          <Text size="sm" c="dimmed">
            {texts.unknownUser}
          </Text>
        ),
    },
    {
      key: "outcome",
      title: texts.outcome,
      render: ({ outcome }) => (
        <Badge variant="light" color={COLORS[outcome]} tt="none">
          {pushStrings.outcomes[outcome]}
        </Badge>
      ),
    },
    {
      key: "reason",
      title: texts.reason,
      render: (delivery) => delivery.outcome !== "ACCEPTED" && <Reason delivery={delivery} />,
    },
    {
      key: "tries",
      title: texts.tries,
      render: ({ attempts }) => formatNumber(attempts),
      wideOnly: true,
    },
    {
      key: "when",
      title: texts.when,
      render: ({ updatedAt }) => formatDateTime(updatedAt),
      wideOnly: true,
    },
  ];
}

/** What the reason means, with the push service's own word for it. */
function Reason({ delivery: { outcome, reason, dueAt } }: { delivery: Delivery }) {
  const words = reason ? reasonLabel(reason) : null;
  return (
    <>
      {reason && <Text size="sm">{words ?? reason}</Text>}
      {words && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {reason}
        </Text>
      )}
      {outcome === "RETRY" && (
        <Text size="xs" c="dimmed">
          {texts.nextTry(formatRelative(dueAt))}
        </Text>
      )}
      {outcome === "PENDING" && (
        <Text size="sm" c="dimmed">
          {texts.waits}
        </Text>
      )}
    </>
  );
}
