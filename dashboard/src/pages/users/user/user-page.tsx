import "../users.css";
import { Badge, Skeleton, Stack, Tabs } from "@mantine/core";
import { useParams } from "react-router";
import { useOperation } from "../../../api/queries.ts";
import { EmptyState } from "../../../components/empty-state.tsx";
import { ErrorPanel } from "../../../components/error-panel.tsx";
import { useUrlFilters } from "../../../components/url-filters.ts";
import { useRole } from "../../../session/use-account.ts";
import { Page } from "../../../shell/page.tsx";
import { useApplicationId } from "../../../shell/use-application-id.ts";
import { usersStrings } from "../strings.ts";
import { userName } from "../user-name.ts";
import { BlockNotice } from "./block-notice.tsx";
import { CallsTab } from "./calls-tab.tsx";
import { DevicesTab } from "./devices-tab.tsx";
import { ProfileTab } from "./profile-tab.tsx";
import { PushesTab } from "./pushes-tab.tsx";
import { SessionsTab } from "./sessions-tab.tsx";
import { userStrings } from "./strings.ts";
import { UserDocument } from "./user.generated.ts";
import { UserActions } from "./user-actions.tsx";
import type { UserRef } from "./user-ref.ts";

const texts = userStrings;

/** One user: the profile, where they are signed in, devices, calls and pushes. */
export function Component() {
  const applicationId = useApplicationId();
  const { userId = "" } = useParams();
  const query = useOperation(UserDocument, { applicationId, userId });
  const { canChange } = useRole();
  const user = query.data?.user;
  const reference: UserRef | null = user
    ? { applicationId, user, name: userName(user), canChange }
    : null;
  return (
    <Page
      title={reference?.name ?? texts.kind}
      parent={{ title: usersStrings.title, to: `/applications/${applicationId}/users` }}
      badge={
        <>
          <Badge color="gray" variant="outline" tt="none">
            {usersStrings.id} {userId}
          </Badge>
          {user?.isGuest && (
            <Badge color="gray" variant="light" tt="none">
              {usersStrings.guest}
            </Badge>
          )}
          {user?.blockedAt && (
            <Badge color="red" variant="light" tt="none">
              {usersStrings.blocked}
            </Badge>
          )}
        </>
      }
      actions={reference && canChange && <UserActions of={reference} />}
    >
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {!query.error && query.data?.user === null && (
        <EmptyState title={texts.notFound} text={texts.notFoundText} />
      )}
      {query.isPending && (
        <Stack aria-busy>
          <Skeleton height={36} />
          <Skeleton height={240} />
        </Stack>
      )}
      {reference && <BlockNotice of={reference} />}
      {reference && <Parts key={userId} of={reference} />}
    </Page>
  );
}

const TABS = ["profile", "sessions", "devices", "calls", "pushes"] as const;

function Parts({ of }: { of: UserRef }) {
  const [{ tab }, setFilters] = useUrlFilters({ tab: "profile" });
  return (
    <Tabs
      value={tab}
      onChange={(value) => setFilters({ tab: value ?? "profile" })}
      // Only the forms stay as they are in the background.
      keepMounted={false}
      className="user-tabs"
    >
      <Tabs.List aria-label={texts.tabsLabel} mb="lg">
        {TABS.map((each) => (
          <Tabs.Tab key={each} value={each}>
            {texts.tabs[each]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="profile" keepMounted>
        <ProfileTab of={of} />
      </Tabs.Panel>
      <Tabs.Panel value="sessions">
        <SessionsTab of={of} />
      </Tabs.Panel>
      <Tabs.Panel value="devices">
        <DevicesTab of={of} />
      </Tabs.Panel>
      <Tabs.Panel value="calls">
        <CallsTab of={of} />
      </Tabs.Panel>
      <Tabs.Panel value="pushes">
        <PushesTab of={of} />
      </Tabs.Panel>
    </Tabs>
  );
}
