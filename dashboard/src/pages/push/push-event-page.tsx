import { Anchor, Skeleton, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Link, useParams } from "react-router";
import { useOperation } from "../../api/queries.ts";
import { type Detail, Details } from "../../components/details.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { Section } from "../../components/section.tsx";
import { useUrlFilters } from "../../components/url-filters.ts";
import { formatDateTime } from "../../formats.ts";
import { useRole } from "../../session/use-account.ts";
import { Page } from "../../shell/page.tsx";
import { useApplicationId } from "../../shell/use-application-id.ts";
import { Deliveries } from "./deliveries.tsx";
import { EventOutcomes } from "./event-outcomes.tsx";
import { PushEventDocument, type PushEventQuery } from "./events.generated.ts";
import { JsonBlock } from "./json-block.tsx";
import { pushStrings } from "./strings.ts";
import "./push.css";
import { pushTitle, StateBadge, senderName, tagLabel } from "./push-labels.tsx";

const texts = pushStrings;
type Event = NonNullable<PushEventQuery["pushEvent"]>;
/** Channels of a push to all platforms, each of which has an event. */
const EVENTS_MAX = 4;

/** One push: how far it is, and what became of it on each device. A push to all platforms has an event for each. */
export function Component() {
  const applicationId = useApplicationId();
  const list = `/applications/${applicationId}/push`;
  const parent = { title: texts.title, to: list };
  const ids = (useParams().eventIds ?? "").split(",").slice(0, EVENTS_MAX);
  const [{ event: wanted, outcome }, setFilters] = useUrlFilters({ event: "", outcome: "" });
  const chosen = ids.find((id) => id === wanted) ?? ids[0] ?? "";
  const { canChange } = useRole();
  const query = useOperation(PushEventDocument, { id: chosen }, { keepPrevious: true });
  const event = query.data?.pushEvent;
  const isOther = event && event.applicationId !== applicationId;
  if (query.data && (!event || isOther)) {
    return (
      <Page title={texts.missing} parent={parent}>
        <EmptyState
          title={texts.missing}
          text={texts.missingText}
          action={
            <Anchor component={Link} to={list} size="sm">
              {texts.toList}
            </Anchor>
          }
        />
      </Page>
    );
  }
  return (
    <Page
      title={event ? pushTitle(event) : texts.title}
      parent={parent}
      badge={event && ids.length === 1 && <StateBadge event={event} />}
    >
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {!query.error && !event && (
        <Stack aria-busy>
          <Skeleton height={180} />
          <Skeleton height={240} />
        </Stack>
      )}
      {event && (
        <>
          <div className="event">
            <Stack gap="lg">
              {ids.map((id) => (
                <EventOutcomes
                  key={id}
                  eventId={id}
                  canStop={canChange}
                  isListed={ids.length > 1 ? id === chosen : null}
                  outcome={id === chosen ? outcome : ""}
                  onChoose={(each) => setFilters({ event: id, outcome: each })}
                />
              ))}
            </Stack>
            <About event={event} />
          </div>
          <Deliveries
            key={event.id}
            event={event}
            outcome={outcome}
            onOutcome={(each) => setFilters({ outcome: each })}
            showsChannel={ids.length > 1}
          />
        </>
      )}
    </Page>
  );
}

function About({ event }: { event: Event }) {
  return (
    <Section title={texts.details.title}>
      <Details details={detailsOf(event)} />
      <details>
        <summary>
          <Text component="span" size="sm">
            {texts.details.payload}
          </Text>
        </summary>
        <JsonBlock label={texts.details.payload} value={event.payload} />
      </details>
    </Section>
  );
}

function detailsOf(event: Event): Detail[] {
  const { notification, environment, userId, createdAt, eventType } = event;
  const details: [string, ReactNode][] = [
    [texts.details.text, notification?.body],
    [
      texts.details.sender,
      userId ? (
        <Anchor
          component={Link}
          to={`/applications/${event.applicationId}/users/${userId}`}
          size="sm"
        >
          {senderName(event)}
        </Anchor>
      ) : (
        senderName(event)
      ),
    ],
    [texts.details.recipients, tagLabel(event) ?? texts.details.recipientsIds],
    [texts.details.environment, texts.environments[environment]],
    [texts.details.created, formatDateTime(createdAt)],
    [eventType === "PERIOD_DATE" ? texts.details.first : texts.details.time, timeOf(event.date)],
    [texts.details.repeats, repetition(event)],
    [texts.details.next, timeOf(event.nextRunAt)],
    [
      texts.details.occurred,
      eventType === "PERIOD_DATE" ? texts.details.times(event.occurredCount) : null,
    ],
    [texts.details.stopped, timeOf(event.stoppedAt)],
  ];
  return details.flatMap(([title, value]) => (value ? [{ title, value }] : []));
}

const timeOf = (time: string | null | undefined) => (time ? formatDateTime(time) : null);

function repetition({ period, endDate }: Event): string | null {
  if (!period) return null;
  const words = texts.periods[String(period)] ?? String(period);
  return endDate ? texts.details.repeatsUntil(words, formatDateTime(endDate)) : words;
}
