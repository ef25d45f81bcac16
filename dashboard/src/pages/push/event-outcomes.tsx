import {
  Button,
  Group,
  Progress,
  Skeleton,
  Stack,
  Text,
  Tooltip,
  UnstyledButton,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { operationName, queryClient, useOperation } from "../../api/queries.ts";
import { useSubscription } from "../../api/subscriptions.ts";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { LiveError, LiveIndicator } from "../../components/live-indicator.tsx";
import { Section } from "../../components/section.tsx";
import { formatDateTime, formatNumber } from "../../formats.ts";
import {
  type EventFieldsFragment,
  PushDeliveriesDocument,
  PushEventDocument,
  type PushEventQuery,
  PushProgressDocument,
} from "./events.generated.ts";
import { isOpen, StateBadge } from "./push-labels.tsx";
import { StopDialog } from "./stop-dialog.tsx";
import { pushStrings } from "./strings.ts";

const texts = pushStrings;
const OUTCOMES = [
  ["ACCEPTED", "acceptedCount", "green"],
  ["UNREGISTERED", "unregisteredCount", "orange"],
  ["FAILED", "failedCount", "red"],
  ["PENDING", "pendingCount", "var(--mantine-color-dimmed)"],
] as const;

/**
 * The counts of an event by outcome as bars, which grow while it sends. A bar lists its deliveries.
 * @param outcome whose deliveries are listed now; empty for all, or for those of another event
 */
export function EventOutcomes({
  eventId,
  canStop,
  isListed,
  outcome,
  onChoose,
}: {
  eventId: string;
  canStop: boolean;
  /** Whether its deliveries are listed; null if the push has no other event. */
  isListed: boolean | null;
  outcome: string;
  onChoose(outcome: string): void;
}) {
  const [isStopping, { open, close }] = useDisclosure();
  const query = useOperation(PushEventDocument, { id: eventId });
  const event = query.data?.pushEvent;
  const live = useLiveEvent(eventId, event ? isOpen(event) : false, () => void query.refetch());
  if (query.error) {
    return <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />;
  }
  if (!event) return <Skeleton height={220} />;
  const { channel, deliveryCount, nextRunAt, fanningOut, state } = event;
  return (
    <Section
      title={texts.channels[channel]}
      lead={texts.devices(deliveryCount)}
      actions={
        <Group gap="xs">
          {isOpen(event) ? <LiveIndicator state={live.state} /> : <StateBadge event={event} />}
          {canStop && isOpen(event) && (
            <Button variant="default" size="compact-sm" onClick={open}>
              {texts.stop.button}
            </Button>
          )}
        </Group>
      }
    >
      <Stack gap={2}>
        {OUTCOMES.map(([name, count, color]) => (
          <OutcomeBar
            key={name}
            name={name}
            count={event[count]}
            of={deliveryCount}
            color={color}
            isChosen={outcome === name}
            onClick={() => onChoose(outcome === name ? "" : name)}
          />
        ))}
      </Stack>
      <LiveError of={live} />
      {state === "SCHEDULED" && nextRunAt && (
        <Text size="sm" c="dimmed">
          {texts.details.next}: {formatDateTime(nextRunAt)}
        </Text>
      )}
      {fanningOut && (
        <Text size="sm" c="dimmed">
          {texts.writing}
        </Text>
      )}
      {isListed === false && (
        <Group>
          <Button
            variant="default"
            size="compact-sm"
            aria-label={texts.showDeliveriesOf(texts.channels[channel])}
            onClick={() => onChoose("")}
          >
            {texts.showDeliveries}
          </Button>
        </Group>
      )}
      <StopDialog event={isStopping ? event : null} onClose={close} />
    </Section>
  );
}

/** One outcome: its name, a bar for its part of all devices, and the number. */
function OutcomeBar({
  name,
  count,
  of,
  color,
  isChosen,
  onClick,
}: {
  name: (typeof OUTCOMES)[number][0];
  count: number;
  of: number;
  color: string;
  isChosen: boolean;
  onClick(): void;
}) {
  return (
    <Tooltip label={texts.outcomeHelp[name]} multiline maw={280} position="top-start">
      <UnstyledButton className="outcome" aria-pressed={isChosen} onClick={onClick}>
        <Text size="sm" component="span">
          {texts.outcomes[name]}
        </Text>
        <Progress
          value={of === 0 ? 0 : (100 * count) / of}
          color={color}
          size="lg"
          aria-hidden
          className="outcome-bar"
        />
        <Text size="sm" component="span" fw={600} ta="right">
          {formatNumber(count)}
        </Text>
      </UnstyledButton>
    </Tooltip>
  );
}

/** Watches an event while it is open: each update replaces what the page shows, and reads the deliveries again. */
function useLiveEvent(id: string, enabled: boolean, refetch: () => void) {
  return useSubscription(
    PushProgressDocument,
    { id },
    {
      enabled,
      onData: ({ pushProgress: { event } }) => show(event),
      onGap: refetch,
    },
  );
}

function show(event: EventFieldsFragment): void {
  const { id } = event;
  queryClient.setQueryData<PushEventQuery>([operationName(PushEventDocument), { id }], (old) =>
    old?.pushEvent ? { pushEvent: { ...old.pushEvent, ...event } } : old,
  );
  const deliveries = { queryKey: [operationName(PushDeliveriesDocument)] };
  if (isOpen(event)) {
    // A request that is under way is not interrupted by the next update.
    void queryClient.invalidateQueries(deliveries, { cancelRefetch: false });
  } else {
    // No update follows the last one: a request from before it, also the first one, may not have seen the outcomes.
    void queryClient
      .cancelQueries(deliveries)
      .then(() => queryClient.invalidateQueries(deliveries));
  }
}
