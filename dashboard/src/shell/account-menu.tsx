import {
  ArrowRightStartOnRectangleIcon,
  UserCircleIcon,
  UserGroupIcon,
} from "@heroicons/react/24/outline";
import { ActionIcon, Button, Popover, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Link } from "react-router";
import { session } from "../api/session.ts";
import { signOutConsequences } from "../components/consequences.tsx";
import { DestroyDialog } from "../components/destroy-dialog.tsx";
import { useAccount } from "../session/use-account.ts";
import { strings } from "../strings.ts";

const texts = strings.shell;

/** Who is signed in, with the pages about it and the way out. */
export function AccountMenu() {
  const [isOpen, { toggle, close }] = useDisclosure();
  const { data } = useAccount();
  const email = data?.currentMember.email;
  const [isAsking, asking] = useDisclosure();
  const signOut = () => {
    if (signOutConsequences().length === 0) return session.signOut();
    close();
    asking.open();
  };
  return (
    <>
      <Popover
        opened={isOpen}
        onDismiss={close}
        position="bottom-end"
        width={260}
        trapFocus
        // Not while the dialog is open, whose focus it would take; it returns when the dialog closes.
        returnFocus={!isAsking}
      >
        <Popover.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={texts.account}
            onClick={toggle}
          >
            <UserCircleIcon width={24} aria-hidden />
          </ActionIcon>
        </Popover.Target>
        <Popover.Dropdown>
          <Text size="sm" fw={600}>
            {data?.account.name}
          </Text>
          {email && (
            <Text size="xs" c="dimmed" mb="sm" style={{ overflowWrap: "anywhere" }}>
              {texts.signedInAs(email)}
            </Text>
          )}
          <Stack gap={4}>
            <Button
              {...LINK}
              to="/account?tab=profile"
              leftSection={<UserCircleIcon width={18} aria-hidden />}
              onClick={close}
            >
              {texts.profile}
            </Button>
            <Button
              {...LINK}
              to="/account"
              leftSection={<UserGroupIcon width={18} aria-hidden />}
              onClick={close}
            >
              {texts.members}
            </Button>
            <Button
              variant="default"
              fullWidth
              mt={4}
              leftSection={<ArrowRightStartOnRectangleIcon width={18} aria-hidden />}
              onClick={signOut}
            >
              {texts.signOut}
            </Button>
          </Stack>
        </Popover.Dropdown>
      </Popover>
      <DestroyDialog
        opened={isAsking}
        onClose={asking.close}
        title={texts.leaveTitle}
        lead={texts.leaveLead}
        lost={signOutConsequences()}
        action={texts.signOut}
        onConfirm={() => session.signOut()}
      />
    </>
  );
}

const LINK = {
  component: Link,
  variant: "subtle",
  color: "gray",
  fullWidth: true,
  justify: "flex-start",
} as const;
