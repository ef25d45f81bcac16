import { NumberInput, SimpleGrid, Stack, TagsInput, Textarea, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { ErrorPanel } from "../../../components/error-panel.tsx";
import { SaveBar } from "../../../components/save-bar.tsx";
import { Section } from "../../../components/section.tsx";
import { showStored, useServiceForm } from "../../../components/use-service-form.ts";
import { usersStrings } from "../strings.ts";
import { ApplicationUsersDocument } from "../users.generated.ts";
import { offsetText, profileChanges, profileValues, type TextField } from "./profile-fields.ts";
import { userStrings } from "./strings.ts";
import { UpdateUserDocument, UserDocument } from "./user.generated.ts";
import type { UserRef } from "./user-ref.ts";

const texts = userStrings;

/** The profile as a form. Only what was changed is sent, so that the user's own changes stay. */
export function ProfileForm({ of: { user } }: { of: UserRef }) {
  const hasName = user.login != null || user.email != null;
  const { form, submit, isSending, error } = useServiceForm({
    document: UpdateUserDocument,
    initialValues: profileValues(user),
    follows: true,
    validate: {
      // Guests, and users of a provider or with a phone number, may have neither.
      login: (login: string, { email }) =>
        hasName && login.trim() === "" && email.trim() === "" ? usersStrings.nameMissing : null,
    },
    variables: (values, changed) => ({
      input: { id: user.id, ...profileChanges(values, changed) },
    }),
    outdated: [UserDocument, ApplicationUsersDocument],
    onDone: (result, sent) => {
      // The service's own form: without double tags, for example.
      showStored(form, profileValues(result.updateUser.user), sent);
      notifications.show({ message: texts.saved, color: "green" });
    },
  });
  const text = (name: TextField, description?: string, type?: "email" | "tel" | "url") => (
    <TextInput
      label={texts[name]}
      description={description}
      type={type}
      autoComplete="off"
      inputWrapperOrder={["label", "input", "description", "error"]}
      {...form.getInputProps(name)}
    />
  );
  const { timezone } = form.values;
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <Section title={texts.who}>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
            {text("fullName")}
            {text("login", usersStrings.loginText)}
            {text("email", texts.emailText, "email")}
            {text("phone", undefined, "tel")}
            {text("website", undefined, "url")}
            <NumberInput
              label={texts.timezone}
              description={
                timezone === "" ? texts.timezoneText : texts.timezoneValue(offsetText(+timezone))
              }
              min={-720}
              max={840}
              step={30}
              clampBehavior="none"
              allowDecimal={false}
              inputWrapperOrder={["label", "input", "description", "error"]}
              {...form.getInputProps("timezone")}
            />
          </SimpleGrid>
          <TagsInput
            label={texts.tags}
            description={texts.tagsText}
            splitChars={[","]}
            inputWrapperOrder={["label", "input", "description", "error"]}
            {...form.getInputProps("tags")}
          />
        </Section>
        <Section title={texts.otherSystems} lead={texts.otherSystemsText}>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
            {text("externalId")}
            {text("facebookId")}
            {text("twitterId")}
          </SimpleGrid>
        </Section>
        <Section title={texts.appData}>
          {text("avatar", texts.avatarText)}
          <Textarea
            label={texts.customData}
            description={texts.customDataText}
            autosize
            minRows={3}
            maxRows={14}
            inputWrapperOrder={["label", "input", "description", "error"]}
            classNames={{ input: "secret" }}
            {...form.getInputProps("customData")}
          />
        </Section>
        {error && <ErrorPanel error={error} />}
      </Stack>
      <SaveBar form={form} isSending={isSending} />
    </form>
  );
}
