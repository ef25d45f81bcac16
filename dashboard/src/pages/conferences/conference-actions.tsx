import { LockClosedIcon, LockOpenIcon } from "@heroicons/react/24/outline";
import { Button, Modal } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useChange } from "../../api/queries.ts";
import { DestroyDialog } from "../../components/destroy-dialog.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { useRole } from "../../session/use-account.ts";
import { strings } from "../../strings.ts";
import {
  CloseConferenceDocument,
  ConferenceDetailsDocument,
  type ConferenceFieldsFragment,
  ConferenceHistoryDocument,
  ConferenceLinksDocument,
  UpdateConferenceDocument,
} from "./conference.generated.ts";
import { conferenceStrings } from "./strings.ts";

const texts = conferenceStrings;

/** Locks and closes a conference. */
export function ConferenceActions({ conference }: { conference: ConferenceFieldsFragment }) {
  const { id: conferenceId, name, locked, participants } = conference;
  const { canChange } = useRole();
  const [isClosing, { open, close }] = useDisclosure();
  const update = useChange(UpdateConferenceDocument, [ConferenceDetailsDocument]);
  const end = useChange(CloseConferenceDocument, [
    ConferenceDetailsDocument,
    ConferenceHistoryDocument,
    ConferenceLinksDocument,
  ]);
  if (!canChange) return null;
  const toggleLock = () => update.mutate({ input: { conferenceId, locked: !locked } });
  const closeIt = () =>
    end.mutate(
      { input: { conferenceId } },
      { onSuccess: () => notifications.show({ message: texts.closed(name), color: "green" }) },
    );
  const Icon = locked ? LockOpenIcon : LockClosedIcon;
  const error = update.error ?? end.error;
  const forget = () => {
    update.reset();
    end.reset();
  };
  return (
    <>
      <Button
        variant="default"
        onClick={toggleLock}
        loading={update.isPending}
        leftSection={<Icon width={18} aria-hidden />}
      >
        {locked ? texts.unlock : texts.lock}
      </Button>
      <Button variant="default" onClick={open} loading={end.isPending}>
        {texts.close}
      </Button>
      <DestroyDialog
        opened={isClosing}
        onClose={close}
        title={texts.closeTitle(name)}
        lost={texts.closeLost(participants.length)}
        action={texts.closeSubmit}
        onConfirm={closeIt}
      />
      <Modal opened={error !== null} onClose={forget} title={strings.errors.other}>
        {error && <ErrorPanel error={error} />}
      </Modal>
    </>
  );
}
