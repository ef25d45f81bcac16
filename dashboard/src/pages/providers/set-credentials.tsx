import { Dialog } from "../../components/dialog.tsx";
import { ApnsForm } from "./apns-form.tsx";
import { FcmForm } from "./fcm-form.tsx";
import type { Scope } from "./push-service.tsx";
import { providersStrings } from "./strings.ts";
import { WebForm } from "./web-form.tsx";

const texts = providersStrings;
const FORMS = { APNS: ApnsForm, FCM: FcmForm, WEB: WebForm } as const;

/** What the form of a service gets. */
export interface CredentialFormProps {
  scope: Scope;
  isSet: boolean;
  onClose(): void;
  /** @param warning what the service says although it has taken the credentials */
  onDone(warning: string | null): void;
}

/** The dialog that sets or replaces the credentials of a push service. */
export function SetCredentials({ opened, ...form }: CredentialFormProps & { opened: boolean }) {
  const { scope, onClose } = form;
  const name = texts.services[scope.service];
  const Form = FORMS[scope.service];
  return (
    <Dialog opened={opened} onClose={onClose} size="lg" title={texts.dialog(name)}>
      <Form {...form} />
    </Dialog>
  );
}
