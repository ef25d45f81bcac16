import { NavLink, Select, Stack, Text } from "@mantine/core";
import { Link, useLocation, useNavigate } from "react-router";
import { useAccount } from "../session/use-account.ts";
import { strings } from "../strings.ts";
import { PAGES, type PageGroup } from "./page-routes.ts";
import { useOptionalApplicationId } from "./use-application-id.ts";

/** The pages, by group; those of an application once one is chosen. */
export function Navigation({ onNavigate }: { onNavigate(): void }) {
  const applicationId = useOptionalApplicationId();
  return (
    <Stack gap="lg" component="nav" aria-label={strings.shell.navigation}>
      <Links group="account" base="" onNavigate={onNavigate} />
      <div>
        <ApplicationSwitcher onNavigate={onNavigate} />
        {applicationId !== null && (
          <Links
            group="application"
            base={`/applications/${applicationId}`}
            onNavigate={onNavigate}
          />
        )}
      </div>
      <Links group="developers" base="" title onNavigate={onNavigate} />
    </Stack>
  );
}

function Links({
  group,
  base,
  title = false,
  onNavigate,
}: {
  group: PageGroup;
  base: string;
  title?: boolean;
  onNavigate(): void;
}) {
  const { pathname } = useLocation();
  const pages = PAGES.filter((page) => page.group === group);
  if (pages.length === 0) return null;
  return (
    <div>
      {title && (
        <Text size="xs" c="dimmed" fw={600} px="sm" mb={4}>
          {strings.shell.groups[group]}
        </Text>
      )}
      {pages.map(({ path, label, icon: Icon }) => {
        const to = `${base}/${path}`;
        const isActive = isBelow(pathname, to);
        return (
          <NavLink
            key={path}
            component={Link}
            to={to}
            label={label}
            active={isActive}
            aria-current={isActive ? "page" : undefined}
            leftSection={<Icon width={20} aria-hidden />}
            onClick={onNavigate}
          />
        );
      })}
    </div>
  );
}

/** Chooses the application that the pages below are about. Another one keeps the page. */
function ApplicationSwitcher({ onNavigate }: { onNavigate(): void }) {
  const applicationId = useOptionalApplicationId();
  const { data } = useAccount();
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const choices = (data?.account.applications ?? []).map(({ id, name }) => ({
    value: id,
    label: name,
  }));
  const choose = (id: string | null) => {
    if (id === null || id === applicationId) return;
    const [, page = ""] = /^\/applications\/[^/]+\/([^/]+)/.exec(pathname) ?? [];
    onNavigate();
    void navigate(`/applications/${id}${page && `/${page}`}`);
  };
  return (
    <Select
      label={strings.shell.application}
      placeholder={strings.shell.chooseApplication}
      data={choices}
      value={applicationId}
      onChange={choose}
      searchable={choices.length > 8}
      allowDeselect={false}
      mb="xs"
    />
  );
}

/** Whether a path is that of an entry, or of a page below it. The pages of an application have their own entries. */
function isBelow(pathname: string, to: string): boolean {
  if (to === "/applications") return pathname === to;
  return pathname === to || pathname.startsWith(`${to}/`);
}
