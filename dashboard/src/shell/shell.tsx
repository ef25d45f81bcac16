import { MoonIcon, SunIcon } from "@heroicons/react/24/outline";
import {
  ActionIcon,
  AppShell,
  Badge,
  Burger,
  Button,
  Container,
  Group,
  Progress,
  Text,
  Tooltip,
  useComputedColorScheme,
  useMantineColorScheme,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type MouseEvent, useEffect, useRef } from "react";
import { Link, Outlet, useNavigation } from "react-router";
import { session } from "../api/session.ts";
import { useAccount, useRole } from "../session/use-account.ts";
import { strings } from "../strings.ts";
import { AccountMenu } from "./account-menu.tsx";
import { LeaveDialog } from "./leave-dialog.tsx";
import { Mark } from "./mark.tsx";
import { Navigation } from "./navigation.tsx";
import { TaskList } from "./task-list.tsx";
import { useOptionalApplicationId } from "./use-application-id.ts";

const texts = strings.shell;

/** What surrounds every page of a signed-in member. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure();
  const isLoading = useNavigation().state === "loading";
  const applicationId = useOptionalApplicationId();
  const main = useRef<HTMLDivElement>(null);
  const { data } = useAccount();
  useEffect(() => {
    if (!data) return;
    const { id: memberId, email } = data.currentMember;
    session.identify({ memberId, email });
  }, [data]);
  const skip = (event: MouseEvent) => {
    event.preventDefault();
    main.current?.focus();
  };
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 260, breakpoint: "sm", collapsed: { mobile: !isOpen } }}
      padding={{ base: "md", sm: "xl" }}
    >
      <Button component="a" href="#content" className="skip" onClick={skip}>
        {texts.skip}
      </Button>
      <AppShell.Header px="md">
        <Group h="100%" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={isOpen ? texts.closeNavigation : texts.openNavigation}
              aria-expanded={isOpen}
            />
            <Link to="/" className="home" onClick={close}>
              <Mark />
              <Text component="span" fw={650}>
                {strings.product}
              </Text>
            </Link>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <RoleBadge />
            <ColorSchemeButton />
            <AccountMenu />
          </Group>
        </Group>
        {isLoading && (
          <Progress
            value={100}
            animated
            size={3}
            radius={0}
            aria-label={texts.loadingPage}
            pos="absolute"
            left={0}
            right={0}
            bottom={0}
          />
        )}
      </AppShell.Header>
      <AppShell.Navbar p="md" style={{ overflowY: "auto" }}>
        <Navigation onNavigate={close} />
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} ref={main} className="content">
        <Container size="lg" p={0}>
          {/* No list of one application shows rows of the last one while it loads. */}
          <Outlet key={applicationId} />
        </Container>
      </AppShell.Main>
      <TaskList />
      <LeaveDialog />
    </AppShell>
  );
}

function RoleBadge() {
  const { canChange, isKnown } = useRole();
  if (canChange || !isKnown) return null;
  return (
    <Tooltip label={texts.readOnlyText}>
      <Badge color="gray" variant="outline" tt="none">
        {texts.readOnly}
      </Badge>
    </Tooltip>
  );
}

function ColorSchemeButton() {
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme("light", { getInitialValueInEffect: false }) === "dark";
  const label = isDark ? texts.toLight : texts.toDark;
  const Icon = isDark ? SunIcon : MoonIcon;
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={label}
        onClick={() => setColorScheme(isDark ? "light" : "dark")}
      >
        <Icon width={20} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
