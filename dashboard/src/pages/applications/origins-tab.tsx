import { Alert, TagsInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { FormEvent } from "react";
import { operationName, queryClient } from "../../api/queries.ts";
import { DestroyDialog } from "../../components/destroy-dialog.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { SaveBar } from "../../components/save-bar.tsx";
import { Section } from "../../components/section.tsx";
import { showStored, useServiceForm } from "../../components/use-service-form.ts";
import { useRole } from "../../session/use-account.ts";
import { strings } from "../../strings.ts";
import {
  ApplicationSettingsDocument,
  type ApplicationSettingsQuery,
  type SettingsFieldsFragment,
  UpdateApplicationDocument,
} from "./application.generated.ts";
import { applicationStrings } from "./strings.ts";

const texts = applicationStrings;

/** The web origins that may use sessions of an application. */
export function OriginsTab({ application }: { application: SettingsFieldsFragment }) {
  const { canChange } = useRole();
  const { id } = application;
  const queryKey = [operationName(ApplicationSettingsDocument), { id }];
  const removedOf = (webOrigins: readonly string[]): string[] =>
    form.getInitialValues().webOrigins.filter((origin) => !webOrigins.includes(origin));
  /** The list with the changes of the form. What other members have added or removed since is kept. */
  const changed = (webOrigins: readonly string[]): string[] => {
    const read = queryClient.getQueryData<ApplicationSettingsQuery>(queryKey);
    const present = (read?.application ?? application).webOrigins;
    const known = form.getInitialValues().webOrigins;
    const added = webOrigins.filter((origin) => !known.includes(origin));
    const removed = removedOf(webOrigins);
    return [...new Set([...present.filter((origin) => !removed.includes(origin)), ...added])];
  };
  const { form, submit, isSending, error, question } = useServiceForm({
    document: UpdateApplicationDocument,
    initialValues: { webOrigins: [...application.webOrigins] },
    follows: true,
    variables: ({ webOrigins }) => ({
      input: { applicationId: id, webOrigins: changed(webOrigins) },
    }),
    asks: ({ webOrigins }) => removedOf(webOrigins).length > 0,
    outdated: [ApplicationSettingsDocument],
    onDone: ({ updateApplication }, sent) => {
      showStored(form, { webOrigins: [...updateApplication.application.webOrigins] }, sent);
      notifications.show({ message: texts.saved, color: "green" });
    },
  });
  const { webOrigins } = form.values;
  const save = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // The whole list is sent.
    await queryClient.refetchQueries({ queryKey });
    submit();
  };
  return (
    <>
      <form onSubmit={(event) => void save(event)} noValidate>
        <Section title={texts.tabs.origins} lead={texts.originsText}>
          {application.webOrigins.length === 0 && (
            <Alert color="orange" variant="light">
              {texts.originsAny}
            </Alert>
          )}
          <TagsInput
            label={texts.originsLabel}
            description={texts.originsHint}
            placeholder={texts.originsPlaceholder}
            disabled={!canChange}
            splitChars={[",", " "]}
            {...form.getInputProps("webOrigins")}
          />
          {error && <ErrorPanel error={error} />}
        </Section>
        <SaveBar form={form} isSending={isSending} />
      </form>
      <DestroyDialog
        {...question}
        title={texts.originsTitle}
        lost={texts.originsLost(removedOf(webOrigins), changed(webOrigins).length === 0)}
        action={strings.common.save}
      />
    </>
  );
}
