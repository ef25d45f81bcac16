import { Button, Modal, Text } from "@mantine/core";
import { session } from "../api/session.ts";
import { strings } from "../strings.ts";
import { SignInForm } from "./sign-in-form.tsx";

const ignore = () => undefined;

/** The sign-in over a page whose token the service has refused. The page stays as it is below, with what was typed. */
export function SignInOverlay({ opened }: { opened: boolean }) {
  return (
    <Modal
      opened={opened}
      onClose={ignore}
      title={strings.signIn.expiredTitle}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      centered
      // Above every other dialog, which waits below.
      zIndex={1_000}
      overlayProps={{ blur: 3 }}
    >
      <Text size="sm" mb="md">
        {strings.signIn.expired}
      </Text>
      <SignInForm email={session.identity?.email}>
        <Button variant="subtle" color="gray" onClick={() => session.signOut()}>
          {strings.signIn.leave}
        </Button>
      </SignInForm>
    </Modal>
  );
}
