import { Anchor, Paper, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { Link } from "react-router";
import { formatNumber } from "../../formats.ts";
import { PAGES } from "../../shell/page-routes.ts";
import { type Activity, formatCount } from "./overview-statistics.ts";
import { overviewStrings } from "./strings.ts";

const texts = overviewStrings;

/** What is open now. */
export function Now({
  activity: { sockets, sessions, calls, conferences, conferenceParticipants },
  applicationId,
}: {
  activity: Activity;
  applicationId: string | null;
}) {
  const { graphql, xmpp, janus } = sockets;
  return (
    <Stack gap="md" component="section">
      <Title order={2} size="h4">
        {texts.now}
      </Title>
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
        <Gauge
          title={texts.connections}
          value={formatNumber(graphql + xmpp + janus)}
          detail={texts.byProtocol(
            [
              [graphql, texts.graphql] as const,
              [xmpp, texts.chat] as const,
              [janus, texts.legacy] as const,
            ].flatMap(([count, protocol]) => (count > 0 ? [[formatNumber(count), protocol]] : [])),
          )}
        />
        <Gauge
          title={texts.sessions}
          value={formatCount(sessions)}
          detail={texts.sessionsDetail}
          {...(applicationId && { to: `/applications/${applicationId}/settings?tab=sessions` })}
        />
        <Gauge
          title={texts.calls}
          value={formatCount(calls)}
          detail={texts.callsDetail}
          {...pageLink(applicationId, "calls")}
        />
        <Gauge
          title={texts.conferences}
          value={formatCount(conferences)}
          detail={texts.participants(
            conferenceParticipants.count,
            formatCount(conferenceParticipants),
          )}
          {...pageLink(applicationId, "conferences")}
        />
      </SimpleGrid>
    </Stack>
  );
}

/** A link to a page of the application, if there is such a page. */
function pageLink(applicationId: string | null, path: string): { to?: string } {
  const exists = PAGES.some((page) => page.group === "application" && page.path === path);
  return applicationId !== null && exists ? { to: `/applications/${applicationId}/${path}` } : {};
}

function Gauge({
  title,
  value,
  detail,
  to,
}: {
  title: string;
  value: string;
  detail: string;
  to?: string;
}) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {to ? (
          <Anchor component={Link} to={to} size="sm">
            {title}
          </Anchor>
        ) : (
          title
        )}
      </Text>
      <Text fz={28} fw={650} lh={1.3} className="figure">
        {value}
      </Text>
      <Text size="xs" c="dimmed">
        {detail}
      </Text>
    </Paper>
  );
}
