import { Badge, Skeleton, Stack, Tabs } from "@mantine/core";
import { useOperation } from "../../api/queries.ts";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { useUrlFilters } from "../../components/url-filters.ts";
import { useRole } from "../../session/use-account.ts";
import { Page } from "../../shell/page.tsx";
import { useApplicationId } from "../../shell/use-application-id.ts";
import {
  ApplicationSettingsDocument,
  type SettingsFieldsFragment,
} from "./application.generated.ts";
import { DeleteTab } from "./delete-tab.tsx";
import { KeysTab } from "./keys-tab.tsx";
import { OriginsTab } from "./origins-tab.tsx";
import { SessionsTab } from "./sessions-tab.tsx";
import { SettingsTab } from "./settings-tab.tsx";
import { applicationStrings, applicationsStrings } from "./strings.ts";

const texts = applicationStrings;
const parent = { title: applicationsStrings.title, to: "/applications" };

/** One application: its settings, keys, web origins and sessions. */
export function Component() {
  const id = useApplicationId();
  const query = useOperation(ApplicationSettingsDocument, { id });
  const application = query.data?.application;
  return (
    <Page
      title={application?.name ?? texts.kind}
      parent={parent}
      badge={
        <Badge color="gray" variant="outline" tt="none">
          {applicationsStrings.id} {id}
        </Badge>
      }
    >
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {!query.error && !application && (
        <Stack aria-busy>
          <Skeleton height={36} />
          <Skeleton height={240} />
        </Stack>
      )}
      {application && <Parts application={application} />}
    </Page>
  );
}

function Parts({ application }: { application: SettingsFieldsFragment }) {
  const [{ tab }, setFilters] = useUrlFilters({ tab: "settings" });
  const { isOwner } = useRole();
  return (
    <Tabs
      value={tab}
      onChange={(value) => setFilters({ tab: value ?? "settings" })}
      // Only forms stay as they are in the background.
      keepMounted={false}
    >
      <Tabs.List aria-label={texts.tabsLabel} mb="lg">
        <Tabs.Tab value="settings">{texts.tabs.settings}</Tabs.Tab>
        <Tabs.Tab value="keys">{texts.tabs.keys}</Tabs.Tab>
        <Tabs.Tab value="origins">{texts.tabs.origins}</Tabs.Tab>
        <Tabs.Tab value="sessions">{texts.tabs.sessions}</Tabs.Tab>
        {isOwner && <Tabs.Tab value="delete">{texts.tabs.delete}</Tabs.Tab>}
      </Tabs.List>
      <Tabs.Panel value="settings" keepMounted>
        <SettingsTab application={application} />
      </Tabs.Panel>
      <Tabs.Panel value="keys">
        <KeysTab application={application} />
      </Tabs.Panel>
      <Tabs.Panel value="origins" keepMounted>
        <OriginsTab application={application} />
      </Tabs.Panel>
      <Tabs.Panel value="sessions">
        <SessionsTab applicationId={application.id} />
      </Tabs.Panel>
      {isOwner && (
        <Tabs.Panel value="delete">
          <DeleteTab application={application} />
        </Tabs.Panel>
      )}
    </Tabs>
  );
}
