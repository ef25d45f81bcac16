import { EllipsisVerticalIcon } from "@heroicons/react/24/outline";
import { ActionIcon, Menu, Modal } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useChange } from "../../api/queries.ts";
import { DestroyDialog } from "../../components/destroy-dialog.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { strings } from "../../strings.ts";
import {
  ConferenceDetailsDocument,
  type ConferenceFieldsFragment,
  ConferenceHistoryDocument,
  MuteConferenceParticipantDocument,
  RemoveConferenceParticipantDocument,
} from "./conference.generated.ts";
import type { ConferenceParticipant } from "./conference-participants.tsx";
import { conferenceStrings } from "./strings.ts";

const texts = conferenceStrings;

/** Mutes, unmutes and removes a participant. */
export function ParticipantMenu({
  participant: { id: participantId, name, audioMutedByModerator, videoMutedByModerator },
  conference: { id: conferenceId, video },
}: {
  participant: ConferenceParticipant;
  conference: ConferenceFieldsFragment;
}) {
  const [isRemoving, { open, close }] = useDisclosure();
  const mute = useChange(MuteConferenceParticipantDocument, [ConferenceDetailsDocument]);
  const remove = useChange(RemoveConferenceParticipantDocument, [
    ConferenceDetailsDocument,
    ConferenceHistoryDocument,
  ]);
  const target = { conferenceId, participantId };
  const say = (message: string) => notifications.show({ message, color: "green" });
  const setMuted = (change: { audio: boolean } | { video: boolean }) => {
    const isMuted = Object.values(change).includes(true);
    mute.mutate(
      { input: { ...target, ...change } },
      { onSuccess: () => say(isMuted ? texts.muted(name) : texts.unmuted(name)) },
    );
  };
  const error = mute.error ?? remove.error;
  const forget = () => {
    mute.reset();
    remove.reset();
  };
  return (
    <>
      {/* Fixed: the frame of the list would cut it off. The placeholder would be no item of the menu. */}
      <Menu
        position="bottom-end"
        floatingStrategy="fixed"
        withInitialFocusPlaceholder={false}
        // Not while the dialog is open, whose focus it would take; it returns when the dialog closes.
        returnFocus={!isRemoving}
      >
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={texts.actions(name)}
            // A disabled button would lose the focus.
            aria-busy={mute.isPending || remove.isPending}
          >
            <EllipsisVerticalIcon width={20} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setMuted({ audio: !audioMutedByModerator })}>
            {audioMutedByModerator ? texts.unmuteAudio : texts.muteAudio}
          </Menu.Item>
          {video && (
            <Menu.Item onClick={() => setMuted({ video: !videoMutedByModerator })}>
              {videoMutedByModerator ? texts.unmuteVideo : texts.muteVideo}
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item onClick={open}>{texts.remove}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <DestroyDialog
        opened={isRemoving}
        onClose={close}
        title={texts.removeTitle(name)}
        lost={texts.removeLost(name)}
        action={texts.removeSubmit}
        onConfirm={() =>
          remove.mutate({ input: target }, { onSuccess: () => say(texts.removed(name)) })
        }
      />
      <Modal opened={error !== null} onClose={forget} title={strings.errors.other}>
        {error && <ErrorPanel error={error} />}
      </Modal>
    </>
  );
}
