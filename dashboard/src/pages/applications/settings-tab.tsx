import {
  NumberInput,
  Radio,
  SegmentedControl,
  Stack,
  Switch,
  Text,
  TextInput,
} from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { SaveBar } from "../../components/save-bar.tsx";
import { Section } from "../../components/section.tsx";
import { showStored, useServiceForm } from "../../components/use-service-form.ts";
import { CurrentAccountDocument } from "../../session/account.generated.ts";
import { useRole } from "../../session/use-account.ts";
import {
  ApplicationSettingsDocument,
  type SettingsFieldsFragment,
  UpdateApplicationDocument,
} from "./application.generated.ts";
import { ApplicationsDocument } from "./applications.generated.ts";
import { applicationStrings, applicationsStrings } from "./strings.ts";

const texts = applicationStrings;
const SENDERS = ["USERS", "MEMBERS", "NOBODY"] as const;
const ENVIRONMENTS = ["PRODUCTION", "DEVELOPMENT"] as const;

/** The settings of an application. Only what was changed is sent, so that nobody undoes another member's change. */
export function SettingsTab({ application }: { application: SettingsFieldsFragment }) {
  const { canChange } = useRole();
  const {
    id,
    authKey: _,
    accountKey: __,
    previousSecretValidUntil: ___,
    webOrigins: ____,
    newCallsPerMinute,
    ...others
  } = application;
  const values = { ...others, newCallsPerMinute: newCallsPerMinute ?? ("" as const) };
  const { form, submit, isSending, error } = useServiceForm({
    document: UpdateApplicationDocument,
    initialValues: values,
    follows: true,
    validate: {
      name: (name: string) => (name.trim() === "" ? applicationsStrings.nameMissing : null),
    },
    variables: (all, changed) => ({
      input: {
        applicationId: id,
        ...Object.fromEntries(
          Object.entries(all)
            .filter(([name]) => changed(name as keyof typeof all))
            // Empty: the number of the server.
            .map(([name, value]) => [name, value === "" ? null : value]),
        ),
      },
    }),
    outdated: [ApplicationSettingsDocument, ApplicationsDocument, CurrentAccountDocument],
    onDone: (_result, saved) => {
      showStored(form, saved, saved);
      notifications.show({ message: texts.saved, color: "green" });
    },
  });
  const toggle = (
    name:
      | "signUpOpen"
      | "emailNeedsPassword"
      | "v1ListDisabled"
      | "serverSessionsCreateUsers"
      | "serverSessionsReachSignedUpUsers"
      | "answeredElsewhere"
      | "incomingCallPush"
      | "callEndPush"
      | "callEndVoip"
      | "missedCallPush"
      | "missedCallBadge"
      | "conferencesOnJoin",
  ) => (
    <Switch
      label={texts[name]}
      description={texts[`${name}Text`]}
      {...form.getInputProps(name, { type: "checkbox" })}
    />
  );
  return (
    <form onSubmit={submit} noValidate>
      <fieldset disabled={!canChange} className="plain">
        <Stack gap="lg">
          <Section title={texts.general}>
            <TextInput
              label={applicationsStrings.name}
              autoComplete="off"
              required
              maw={420}
              {...form.getInputProps("name")}
            />
          </Section>
          <Section title={texts.users}>
            <Stack>
              {toggle("signUpOpen")}
              {toggle("emailNeedsPassword")}
              {toggle("v1ListDisabled")}
              {toggle("serverSessionsCreateUsers")}
              {form.values.serverSessionsCreateUsers && toggle("serverSessionsReachSignedUpUsers")}
            </Stack>
          </Section>
          <Section title={texts.calls}>
            <Stack>
              {toggle("answeredElsewhere")}
              <NumberInput
                label={texts.newCallsPerMinute}
                description={texts.newCallsPerMinuteText}
                min={1}
                max={6_000}
                clampBehavior="none"
                allowDecimal={false}
                maw={420}
                {...form.getInputProps("newCallsPerMinute")}
              />
              {toggle("incomingCallPush")}
              <NumberInput
                label={texts.incomingCallPushDelay}
                description={texts.incomingCallPushDelayText}
                min={0}
                max={30}
                clampBehavior="none"
                allowDecimal={false}
                maw={420}
                {...form.getInputProps("incomingCallPushDelaySeconds")}
              />
              <div>
                <Text size="sm" fw={500} id="call-push-environment" mb={4}>
                  {texts.incomingCallPushEnvironment}
                </Text>
                <SegmentedControl
                  aria-labelledby="call-push-environment"
                  data={ENVIRONMENTS.map((value) => ({ value, label: texts.environments[value] }))}
                  {...form.getInputProps("incomingCallPushEnvironment")}
                />
              </div>
              {toggle("callEndPush")}
              {toggle("callEndVoip")}
              {toggle("missedCallPush")}
              {toggle("missedCallBadge")}
              {toggle("conferencesOnJoin")}
            </Stack>
          </Section>
          <Section title={texts.push}>
            <Radio.Group
              label={texts.pushSenders}
              description={texts.pushSendersText}
              {...form.getInputProps("pushSenders")}
            >
              <Stack gap="xs" mt="sm">
                {SENDERS.map((value) => {
                  const [label, description] = texts.senders[value];
                  return (
                    <Radio key={value} value={value} label={label} description={description} />
                  );
                })}
              </Stack>
            </Radio.Group>
          </Section>
          {error && <ErrorPanel error={error} />}
        </Stack>
      </fieldset>
      <SaveBar form={form} isSending={isSending} />
    </form>
  );
}
