import { Button, Modal, Text } from "@mantine/core";
import { session } from "../api/session.ts";
import { SignInForm } from "./sign-in-form.tsx";
import { signInStrings } from "./strings.ts";

const ignore = () => undefined;

/** The sign-in over a page whose token the service has refused. The page stays as it is below, with what was typed. */
export function SignInOverlay({ opened }: { opened: boolean }) {
  return (
    <Modal
      opened={opened}
      onClose={ignore}
      title={signInStrings.expiredTitle}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      centered
      // Above every other dialog, which waits below.
      zIndex={1_000}
      overlayProps={{ blur: 3 }}
    >
      <Text size="sm" mb="md">
        {signInStrings.expired}
      </Text>
      <SignInForm email={session.identity?.email}>
        <Button variant="subtle" color="gray" onClick={() => session.signOut()}>
          {signInStrings.leave}
        </Button>
      </SignInForm>
    </Modal>
  );
}
