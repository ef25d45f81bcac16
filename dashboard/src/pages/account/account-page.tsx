import { Tabs } from "@mantine/core";
import { useUrlFilters } from "../../components/url-filters.ts";
import { Page } from "../../shell/page.tsx";
import { DetailsTab } from "./details-tab.tsx";
import { MembersTab } from "./members-tab.tsx";
import { ProfileTab } from "./profile-tab.tsx";
import { accountStrings } from "./strings.ts";

const texts = accountStrings;

/** The account: its members, the sign-in of the member who looks at it, its name and servers. */
export function Component() {
  const [{ tab }, setFilters] = useUrlFilters({ tab: "members" });
  return (
    <Page title={texts.title} lead={texts.lead}>
      <Tabs
        value={tab}
        onChange={(value) => setFilters({ tab: value ?? "members" })}
        // Only forms stay as they are in the background.
        keepMounted={false}
      >
        <Tabs.List aria-label={texts.tabsLabel} mb="lg">
          <Tabs.Tab value="members">{texts.tabs.members}</Tabs.Tab>
          <Tabs.Tab value="profile">{texts.tabs.profile}</Tabs.Tab>
          <Tabs.Tab value="details">{texts.tabs.details}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="members">
          <MembersTab />
        </Tabs.Panel>
        <Tabs.Panel value="profile" keepMounted>
          <ProfileTab />
        </Tabs.Panel>
        <Tabs.Panel value="details" keepMounted>
          <DetailsTab />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
