import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useEffect } from "react";
import { useBlocker } from "react-router";
import { session } from "../api/session.ts";
import { hasUnsaved, useHasUnsaved } from "../components/unsaved.ts";
import { strings } from "../strings.ts";

const texts = strings.leave;

/** Asks before a page with changes that are not saved is left. Tabs and filters of the page are no other page. */
export function LeaveDialog() {
  // While the router has a blocker, it reports navigations that are not its own, such as to a link that is pasted.
  return useHasUnsaved() ? <LeaveQuestion /> : null;
}

function LeaveQuestion() {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      hasUnsaved() && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      // Another member who signs in over the page loads it again, and must not get to keep what it shows.
      if (hasUnsaved() && !session.state().expired) event.preventDefault();
    };
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, []);
  const stay = () => blocker.reset?.();
  return (
    // Above a dialog of the page.
    <Modal opened={blocker.state === "blocked"} onClose={stay} title={texts.title} zIndex={300}>
      <Stack>
        <Text size="sm">{texts.text}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={stay} data-autofocus>
            {texts.stay}
          </Button>
          <Button color="red" onClick={() => blocker.proceed?.()}>
            {texts.leave}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
