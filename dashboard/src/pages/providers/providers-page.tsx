import { Tabs } from "@mantine/core";
import { useUrlFilters } from "../../components/url-filters.ts";
import { Page } from "../../shell/page.tsx";
import { useApplicationId } from "../../shell/use-application-id.ts";
import { PushTab } from "./push-tab.tsx";
import { SignInTab } from "./sign-in-tab.tsx";
import { providersStrings } from "./strings.ts";

const texts = providersStrings;

/** The credentials of push services and of sign-in providers. */
export function Component() {
  const applicationId = useApplicationId();
  const [{ tab }, setFilters] = useUrlFilters({ tab: "push" });
  return (
    <Page title={texts.title} lead={texts.lead}>
      <Tabs
        value={tab === "sign-in" ? tab : "push"}
        onChange={(value) => setFilters({ tab: value ?? "push" })}
        keepMounted={false}
      >
        <Tabs.List aria-label={texts.tabsLabel} mb="lg">
          <Tabs.Tab value="push">{texts.tabs.push}</Tabs.Tab>
          <Tabs.Tab value="sign-in">{texts.tabs.signIn}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="push">
          <PushTab applicationId={applicationId} />
        </Tabs.Panel>
        <Tabs.Panel value="sign-in">
          <SignInTab applicationId={applicationId} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
