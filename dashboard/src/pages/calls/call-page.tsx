import { Button, Skeleton, Stack } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "react-router";
import { operationName, useOperation } from "../../api/queries.ts";
import { useSubscription } from "../../api/subscriptions.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { LiveError, LiveIndicator } from "../../components/live-indicator.tsx";
import { Page } from "../../shell/page.tsx";
import { useApplicationId } from "../../shell/use-application-id.ts";
import { strings } from "../../strings.ts";
import { CallDetailsDocument, type CallDetailsQuery, LiveCallDocument } from "./call.generated.ts";
import { CallFacts } from "./call-facts.tsx";
import { CallParticipants } from "./call-participants.tsx";
import { CallTimeLine } from "./call-time-line.tsx";
import { CallBadge, callTitle } from "./call-words.tsx";

const texts = strings.call;

/** One call: what happened, who took part, and its signals, which grow while it is live. */
export function Component() {
  const applicationId = useApplicationId();
  const { callId: id = "" } = useParams();
  const variables = { applicationId, id };
  const query = useOperation(CallDetailsDocument, variables);
  const client = useQueryClient();
  const call = query.data?.application.call;
  const live = useSubscription(LiveCallDocument, variables, {
    enabled: Boolean(call),
    onData: ({ applicationCall }) =>
      client.setQueryData<CallDetailsQuery>([operationName(CallDetailsDocument), variables], {
        application: { id: applicationId, call: applicationCall },
      }),
    onGap: () => void query.refetch(),
  });
  const parent = { title: strings.calls.title, to: `/applications/${applicationId}/calls` };
  if (query.data && !call) {
    const back = (
      <Button component={Link} to={parent.to} mt="sm">
        {texts.toCalls}
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
      title={call ? callTitle(call.participants) : strings.calls.call}
      parent={parent}
      badge={
        call && (
          <>
            <CallBadge {...call} />
            {call.endedAt === null && <LiveIndicator state={live.state} />}
          </>
        )
      }
    >
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      <LiveError of={live} />
      {query.isPending && (
        <Stack aria-busy>
          <Skeleton height={220} />
          <Skeleton height={160} />
        </Stack>
      )}
      {call && (
        <>
          <CallFacts call={call} />
          <CallParticipants call={call} />
          <CallTimeLine call={call} />
        </>
      )}
    </Page>
  );
}
