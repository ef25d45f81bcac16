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
import { CallDetailsDocument, type CallDetailsQuery, LiveCallDocument } from "./call.generated.ts";
import { CallDetails } from "./call-details.tsx";
import { CallBadge, callTitle } from "./call-labels.tsx";
import { CallParticipants } from "./call-participants.tsx";
import { CallTimeline } from "./call-timeline.tsx";
import { EndCall } from "./end-call.tsx";
import { callStrings, callsStrings } from "./strings.ts";

const texts = callStrings;

/** One call: what happened, who took part, and its signals, which grow while it is live. */
export function Component() {
  const applicationId = useApplicationId();
  const { callId: id = "" } = useParams();
  const client = useQueryClient();
  const query = useOperation(CallDetailsDocument, { id });
  const found = query.data?.call;
  const call = found?.applicationId === applicationId ? found : undefined;
  const live = useSubscription(
    LiveCallDocument,
    { applicationId, id },
    {
      enabled: Boolean(call),
      onData: ({ callChanges }) =>
        client.setQueryData<CallDetailsQuery>([operationName(CallDetailsDocument), { id }], {
          call: callChanges,
        }),
      onGap: () => void query.refetch(),
    },
  );
  const parent = { title: callsStrings.title, to: `/applications/${applicationId}/calls` };
  if (query.error?.code === "NOT_FOUND" || (found && !call)) {
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
      title={call ? callTitle(call.participants) : callsStrings.call}
      parent={parent}
      badge={
        call && (
          <>
            <CallBadge {...call} />
            {call.endedAt === null && <LiveIndicator state={live.state} />}
          </>
        )
      }
      actions={call && call.endedAt === null && <EndCall call={call} />}
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
          <CallDetails call={call} />
          <CallParticipants call={call} />
          <CallTimeline call={call} />
        </>
      )}
    </Page>
  );
}
