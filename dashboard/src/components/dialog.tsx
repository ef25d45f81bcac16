import { Button, Modal, type ModalProps } from "@mantine/core";
import { createContext, useContext, useEffect, useState } from "react";
import { strings } from "../strings.ts";

const DialogContext = createContext({
  isBusy: false,
  setBusy: (_isBusy: boolean): void => undefined,
  close: (): void => undefined,
});

/**
 * A dialog that stays open while it sends: neither Escape nor a button closes it before the answer is there, which it
 * shows. A click outside never closes it, since what was typed would be lost.
 * @param isSending whether it sends; a component within it says so by {@link useBusyDialog}
 */
export function Dialog({
  isSending = false,
  onClose,
  children,
  ...props
}: ModalProps & { isSending?: boolean }) {
  const [isHeld, setHeld] = useState(false);
  const isBusy = isSending || isHeld;
  const close = () => {
    if (!isBusy) onClose();
  };
  return (
    <Modal
      closeOnClickOutside={false}
      {...props}
      onClose={close}
      closeButtonProps={{ "aria-label": strings.common.close, disabled: isBusy }}
    >
      <DialogContext.Provider value={{ isBusy, setBusy: setHeld, close }}>
        {children}
      </DialogContext.Provider>
    </Modal>
  );
}

/** Keeps the dialog around this component open while it sends, if there is one. */
export function useBusyDialog(isSending: boolean): void {
  const { setBusy } = useContext(DialogContext);
  useEffect(() => {
    setBusy(isSending);
    return () => setBusy(false);
  }, [setBusy, isSending]);
}

/** The button that closes a dialog without a change. @param isFirst whether it has the focus when the dialog opens */
export function CancelButton({ isFirst = false }: { isFirst?: boolean }) {
  const { isBusy, close } = useContext(DialogContext);
  return (
    <Button
      variant="default"
      onClick={close}
      disabled={isBusy}
      {...(isFirst && { "data-autofocus": true })}
    >
      {strings.common.cancel}
    </Button>
  );
}
