import { ArrowDownTrayIcon, NoSymbolIcon, TrashIcon } from "@heroicons/react/24/outline";
import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import { useNavigate } from "react-router";
import { runLongChange } from "../../../api/tasks.ts";
import { DestroyDialog } from "../../../components/destroy-dialog.tsx";
import { forgetUnsaved } from "../../../components/unsaved.ts";
import { ApplicationUsersDocument } from "../users.generated.ts";
import { BlockDialog } from "./block-dialog.tsx";
import { exportUser } from "./export-user.ts";
import { userStrings } from "./strings.ts";
import { DeleteUserDocument, UserDocument } from "./user.generated.ts";
import type { UserRef } from "./user-ref.ts";

const texts = userStrings;

/** What may be done with the whole user: export, block, erase. A blocked user is unblocked in the notice. */
export function UserActions({ of }: { of: UserRef }) {
  const [isBlocking, blocking] = useDisclosure();
  const [isErasing, erasing] = useDisclosure();
  return (
    <>
      <ExportButton of={of} />
      {!of.user.blockedAt && (
        <Button
          variant="default"
          onClick={blocking.open}
          leftSection={<NoSymbolIcon width={18} aria-hidden />}
        >
          {texts.block}
        </Button>
      )}
      <Button
        variant="outline"
        color="red"
        onClick={erasing.open}
        leftSection={<TrashIcon width={18} aria-hidden />}
      >
        {texts.erase}
      </Button>
      <BlockDialog of={of} opened={isBlocking} onClose={blocking.close} />
      <EraseDialog of={of} opened={isErasing} onClose={erasing.close} />
    </>
  );
}

function ExportButton({ of }: { of: UserRef }) {
  const [isRunning, setRunning] = useState(false);
  const start = async () => {
    setRunning(true);
    await exportUser(of);
    setRunning(false);
  };
  return (
    <Button
      variant="default"
      onClick={() => void start()}
      disabled={isRunning}
      leftSection={<ArrowDownTrayIcon width={18} aria-hidden />}
    >
      {texts.export}
    </Button>
  );
}

/** Erases the user in a task, since a user with much history takes a while. */
function EraseDialog({
  of: { applicationId, user, name },
  opened,
  onClose,
}: {
  of: UserRef;
  opened: boolean;
  onClose(): void;
}) {
  const navigate = useNavigate();
  const start = () => {
    forgetUnsaved();
    void navigate(`/applications/${applicationId}/users`);
    void runLongChange({
      title: texts.eraseTask(name),
      running: texts.eraseRunning,
      unanswered: texts.eraseUnanswered,
      document: DeleteUserDocument,
      variables: { input: { id: user.id } },
      outdated: [ApplicationUsersDocument, UserDocument],
      onDone: () => texts.erased(name),
    });
  };
  return (
    <DestroyDialog
      opened={opened}
      onClose={onClose}
      title={texts.eraseTitle(name)}
      lost={texts.eraseLost}
      name={user.login || user.email || user.id}
      action={texts.eraseSubmit}
      onConfirm={start}
    />
  );
}
