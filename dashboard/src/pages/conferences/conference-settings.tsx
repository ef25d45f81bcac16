import { NumberInput, Radio, Stack, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import type { FormEvent } from "react";
import { DestroyDialog } from "../../components/destroy-dialog.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { SaveBar } from "../../components/save-bar.tsx";
import { Section } from "../../components/section.tsx";
import { showStored, useServiceForm } from "../../components/use-service-form.ts";
import {
  ConferenceDetailsDocument,
  type ConferenceFieldsFragment,
  UpdateConferenceDocument,
} from "./conference.generated.ts";
import { ConferencesDocument } from "./conferences.generated.ts";
import { conferenceStrings } from "./strings.ts";

const texts = conferenceStrings;
const ACCESSES = ["EVERYONE", "LISTED"] as const;
const KILOBIT = 1_000;
/** Limits of the bitrate in kbit/s. The service names them in bits per second, which the field does not show. */
const BITRATE = { min: 64, max: 4_000 };

const isBitrate = (value: unknown) =>
  typeof value === "number" && value >= BITRATE.min && value <= BITRATE.max;

/** The fields of the form. */
function valuesOf({ name, seats, access, bitrate }: ConferenceFieldsFragment) {
  return { name, seats, access, bitrate: bitrate / KILOBIT };
}

/** The settings of an open conference. Only what was changed is sent. */
export function ConferenceSettings({ conference }: { conference: ConferenceFieldsFragment }) {
  const [isAsking, { open, close }] = useDisclosure();
  const { id: conferenceId, participants } = conference;
  const { form, submit, isSending, error } = useServiceForm({
    document: UpdateConferenceDocument,
    initialValues: valuesOf(conference),
    follows: true,
    validate: {
      name: (name: string) => (name.trim() === "" ? texts.nameMissing : null),
      bitrate: (bitrate: number) => (isBitrate(bitrate) ? null : texts.bitrateInvalid),
    },
    variables: ({ name, seats, access, bitrate }, changed) => ({
      input: {
        conferenceId,
        ...(changed("name") && { name }),
        ...(changed("seats") && { seats }),
        ...(changed("access") && { access }),
        ...(changed("bitrate") && { bitrate: Math.round(bitrate * KILOBIT) }),
      },
    }),
    outdated: [ConferenceDetailsDocument, ConferencesDocument],
    onDone: (_result, saved) => {
      showStored(form, saved, saved);
      notifications.show({ message: texts.saved, color: "green" });
    },
  });
  const ask = (event: FormEvent<HTMLFormElement>) => {
    const excludes = form.isDirty("access") && form.values.access === "LISTED";
    if (!excludes || participants.length === 0) return submit(event);
    event.preventDefault();
    open();
  };
  return (
    <>
      <form onSubmit={ask} noValidate>
        <Section title={texts.settings} lead={texts.settingsLead}>
          <Stack>
            <TextInput label={texts.name} autoComplete="off" {...form.getInputProps("name")} />
            <NumberInput
              label={texts.seats}
              description={texts.seatsText}
              min={2}
              max={12}
              clampBehavior="none"
              allowDecimal={false}
              {...form.getInputProps("seats")}
            />
            <NumberInput
              label={texts.bitrate}
              description={texts.bitrateText}
              min={BITRATE.min}
              max={BITRATE.max}
              step={100}
              clampBehavior="none"
              {...form.getInputProps("bitrate")}
            />
            <Radio.Group
              label={texts.access}
              description={texts.accessText}
              {...form.getInputProps("access")}
            >
              <Stack gap="xs" mt="sm">
                {ACCESSES.map((value) => (
                  <Radio key={value} value={value} label={texts.accesses[value]} />
                ))}
              </Stack>
            </Radio.Group>
            {error && <ErrorPanel error={error} />}
          </Stack>
        </Section>
        <SaveBar form={form} isSending={isSending} />
      </form>
      {/* Outside of the form: its own submission would be one of this form as well. */}
      <DestroyDialog
        opened={isAsking}
        onClose={close}
        title={texts.listedTitle}
        lost={texts.listedLost}
        action={texts.listedSubmit}
        onConfirm={() => submit()}
      />
    </>
  );
}
