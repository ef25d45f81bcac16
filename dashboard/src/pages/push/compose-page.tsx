import { Button, Group, Stack, TextInput } from "@mantine/core";
import { type UseFormReturnType, useForm } from "@mantine/form";
import { useDebouncedValue } from "@mantine/hooks";
import type { SignalboxError } from "@signalbox/client";
import { useState } from "react";
import { Link, useSearchParams } from "react-router";
import { formErrors } from "../../api/errors.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { Section } from "../../components/section.tsx";
import { showErrors } from "../../components/show-errors.ts";
import { useUnsaved } from "../../components/unsaved.ts";
import { useAccount, useRole } from "../../session/use-account.ts";
import { Page } from "../../shell/page.tsx";
import { useApplicationId } from "../../shell/use-application-id.ts";
import { strings } from "../../strings.ts";
import type { CreatePushEventInput } from "./compose.generated.ts";
import {
  draftErrors,
  EMPTY_DRAFT,
  FIELDS,
  inputOf,
  type PushDraft,
  previewOf,
  recipientsOf,
} from "./draft.ts";
import { MessageFields } from "./message-fields.tsx";
import { Preview } from "./preview.tsx";
import { pushStrings } from "./strings.ts";
import "./push.css";
import { useReach } from "./reach.ts";
import { RecipientFields } from "./recipient-fields.tsx";
import { ScheduleFields } from "./schedule-fields.tsx";
import { SendDialog } from "./send-dialog.tsx";

const texts = pushStrings.new;
/** Time without typing after which the service is asked, in milliseconds. */
const PAUSE_MS = 400;

/** The form of a push. */
export type PushForm = UseFormReturnType<PushDraft>;

/** Composes a push: whom it reaches, what it says with a preview of every platform, and when it is sent. */
export function Component() {
  const applicationId = useApplicationId();
  const { canChange, isKnown } = useRole();
  const account = useAccount();
  const list = `/applications/${applicationId}/push`;
  return (
    <Page title={texts.title} parent={{ title: pushStrings.title, to: list }}>
      {!isKnown && account.error && (
        <ErrorPanel error={account.error} onRetry={() => void account.refetch()} />
      )}
      {isKnown && !canChange && <EmptyState title={texts.readOnly} text={texts.readOnlyText} />}
      {canChange && <Compose applicationId={applicationId} list={list} />}
    </Page>
  );
}

function Compose({ applicationId, list }: { applicationId: string; list: string }) {
  const [query] = useSearchParams();
  const user = query.get("user");
  const form = useForm<PushDraft>({
    name: "push",
    // A link of a user's page names the user.
    initialValues: user === null ? EMPTY_DRAFT : { ...EMPTY_DRAFT, by: "userIds", entries: [user] },
    validate: (values) => draftErrors(values),
    onSubmitPreventDefault: "always",
  });
  const [confirmed, setConfirmed] = useState<CreatePushEventInput | null>(null);
  useUnsaved(form.isDirty());
  const [draft] = useDebouncedValue(form.values, PAUSE_MS);
  const reach = useReach(applicationId, recipientsOf(draft));
  // The reasons of the service stand at the fields of the form, which have shorter names.
  const refuse = (error: SignalboxError): SignalboxError | null => {
    const { fields, rest } = formErrors(error, Object.keys(FIELDS));
    const reasons = Object.entries(fields).flatMap(([name, reason]) => {
      const field = FIELDS[name];
      return field ? [[field, reason]] : [];
    });
    const errors = Object.fromEntries(reasons);
    if (rest) {
      // The dialog stays open, and shows the rest.
      form.setErrors(errors);
      return rest;
    }
    setConfirmed(null);
    showErrors(form, errors);
    return null;
  };
  const submit = form.onSubmit(
    (values) => setConfirmed(inputOf(applicationId, values)),
    (errors) => showErrors(form, errors),
  );
  return (
    <form onSubmit={submit} noValidate className="compose">
      <Stack gap="lg">
        <RecipientFields form={form} reach={reach} />
        <MessageFields form={form} />
        <Section title={texts.when}>
          <ScheduleFields form={form} />
          <TextInput
            label={texts.name}
            description={texts.nameText}
            autoComplete="off"
            {...form.getInputProps("name")}
          />
        </Section>
        <Group justify="flex-end">
          <Button component={Link} to={list} variant="default">
            {strings.common.cancel}
          </Button>
          <Button type="submit">
            {form.values.eventType === "ONE_SHOT" ? texts.send : texts.schedule}
          </Button>
        </Group>
      </Stack>
      <Preview applicationId={applicationId} input={previewOf(applicationId, draft)} />
      <SendDialog
        input={confirmed}
        reach={reach.text}
        onClose={() => setConfirmed(null)}
        onRefused={refuse}
        list={list}
      />
    </form>
  );
}
