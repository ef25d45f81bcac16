import { Alert, TagsInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { DestroyDialog } from "../../components/destroy-dialog.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { SaveBar } from "../../components/save-bar.tsx";
import { Section } from "../../components/section.tsx";
import { useServiceForm } from "../../components/use-service-form.ts";
import { useRole } from "../../session/use-account.ts";
import { strings } from "../../strings.ts";
import {
  ApplicationSettingsDocument,
  type SettingsFieldsFragment,
  UpdateApplicationDocument,
} from "./application.generated.ts";

const texts = strings.application;

/** The web origins that may use sessions of an application. */
export function OriginsTab({ application }: { application: SettingsFieldsFragment }) {
  const { canChange } = useRole();
  const removedOf = (webOrigins: readonly string[]) =>
    application.webOrigins.filter((origin) => !webOrigins.includes(origin));
  const { form, submit, isSending, error, question } = useServiceForm({
    document: UpdateApplicationDocument,
    initialValues: { webOrigins: [...application.webOrigins] },
    variables: ({ webOrigins }) => ({ input: { applicationId: application.id, webOrigins } }),
    asks: ({ webOrigins }) => removedOf(webOrigins).length > 0,
    outdated: [ApplicationSettingsDocument],
    onDone: (_result, saved) => {
      form.setInitialValues(saved);
      form.resetDirty(saved);
      notifications.show({ message: texts.saved, color: "green" });
    },
  });
  const { webOrigins } = form.values;
  return (
    <>
      <form onSubmit={submit} noValidate>
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
        lost={texts.originsLost(removedOf(webOrigins), webOrigins.length === 0)}
        action={strings.common.save}
      />
    </>
  );
}
