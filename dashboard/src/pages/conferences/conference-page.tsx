import { Badge, Button, SimpleGrid, Skeleton, Stack } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "react-router";
import { operationName, useOperation } from "../../api/queries.ts";
import { useSubscription } from "../../api/subscriptions.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { LiveError, LiveIndicator } from "../../components/live-indicator.tsx";
import { useRole } from "../../session/use-account.ts";
import { Page } from "../../shell/page.tsx";
import { useApplicationId } from "../../shell/use-application-id.ts";
import {
  ConferenceDetailsDocument,
  type ConferenceDetailsQuery,
  type ConferenceFieldsFragment,
  LiveConferenceDocument,
} from "./conference.generated.ts";
import { ConferenceActions } from "./conference-actions.tsx";
import { ConferenceBadge } from "./conference-badge.tsx";
import { ConferenceDetails } from "./conference-details.tsx";
import { ConferenceHistory } from "./conference-history.tsx";
import { ConferenceLinks } from "./conference-links.tsx";
import { ConferenceParticipants } from "./conference-participants.tsx";
import { ConferenceSettings } from "./conference-settings.tsx";
import { conferenceStrings, conferencesStrings } from "./strings.ts";

const texts = conferenceStrings;

/** One conference: who is in, and what may be changed. It changes by itself. */
export function Component() {
  const applicationId = useApplicationId();
  const { conferenceId: id = "" } = useParams();
  const client = useQueryClient();
  const query = useOperation(ConferenceDetailsDocument, { id });
  const found = query.data?.conference;
  const conference = found?.applicationId === applicationId ? found : undefined;
  const live = useSubscription(
    LiveConferenceDocument,
    { applicationId, id },
    {
      enabled: Boolean(conference),
      onData: ({ conferenceChanges }) =>
        client.setQueryData<ConferenceDetailsQuery>(
          [operationName(ConferenceDetailsDocument), { id }],
          { conference: conferenceChanges },
        ),
      onGap: () => void query.refetch(),
    },
  );
  const parent = {
    title: conferencesStrings.title,
    to: `/applications/${applicationId}/conferences`,
  };
  if (query.error?.code === "NOT_FOUND" || (found && !conference)) {
    const back = (
      <Button component={Link} to={parent.to} mt="sm">
        {texts.toConferences}
      </Button>
    );
    return (
      <Page title={texts.notFound} parent={parent}>
        <EmptyState title={texts.notFound} text={texts.notFoundText} action={back} />
      </Page>
    );
  }
  return (
    <Page
      title={conference?.name ?? conferencesStrings.title}
      parent={parent}
      badge={
        conference && (
          <>
            <ConferenceBadge
              isClosed={conference.closedAt !== null}
              participants={conference.participants.length}
            />
            {conference.locked && (
              <Badge variant="outline" color="gray" tt="none">
                {conferencesStrings.locked}
              </Badge>
            )}
            {conference.closedAt === null && <LiveIndicator state={live.state} />}
          </>
        )
      }
      actions={conference?.closedAt === null && <ConferenceActions conference={conference} />}
    >
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      <LiveError of={live} />
      {query.isPending && (
        <Stack aria-busy>
          <Skeleton height={160} />
          <Skeleton height={220} />
        </Stack>
      )}
      {conference && <Parts key={id} conference={conference} />}
    </Page>
  );
}

function Parts({ conference }: { conference: ConferenceFieldsFragment }) {
  const { canChange } = useRole();
  const participants = conference.participants.map(({ id }) => id).join(" ");
  const hasSettings = canChange && conference.closedAt === null;
  return (
    <>
      <ConferenceParticipants conference={conference} />
      <SimpleGrid cols={{ base: 1, md: hasSettings ? 2 : 1 }} spacing="lg">
        {hasSettings && <ConferenceSettings conference={conference} />}
        <ConferenceDetails conference={conference} />
      </SimpleGrid>
      <ConferenceLinks conference={conference} />
      <ConferenceHistory conferenceId={conference.id} participants={participants} />
    </>
  );
}
