import { SegmentedControl, Select, SimpleGrid, TextInput } from "@mantine/core";
import type { PushForm } from "./compose-page.tsx";
import { EVENT_TYPES } from "./draft.ts";
import { pushStrings } from "./strings.ts";

const texts = pushStrings.new;
const PERIODS = Object.entries(pushStrings.periods).map(([value, label]) => ({ value, label }));

/** When a push is sent: now, at a time, or repeatedly. */
export function ScheduleFields({ form }: { form: PushForm }) {
  const { eventType } = form.values;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return (
    <>
      <SegmentedControl
        aria-label={texts.when}
        fullWidth
        data={EVENT_TYPES.map((value) => ({ value, label: texts.eventTypes[value] }))}
        {...form.getInputProps("eventType")}
      />
      {eventType !== "ONE_SHOT" && (
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
          <TextInput
            type="datetime-local"
            label={eventType === "PERIOD_DATE" ? texts.firstDate : texts.date}
            description={texts.zone(timeZone)}
            inputWrapperOrder={["label", "input", "description", "error"]}
            {...form.getInputProps("date")}
          />
          {eventType === "PERIOD_DATE" && (
            <>
              <Select
                label={texts.period}
                description={texts.periodText}
                inputWrapperOrder={["label", "input", "description", "error"]}
                data={PERIODS}
                allowDeselect={false}
                {...form.getInputProps("period")}
              />
              <TextInput
                type="datetime-local"
                label={texts.endDate}
                {...form.getInputProps("endDate")}
              />
            </>
          )}
        </SimpleGrid>
      )}
    </>
  );
}
