import {
  Badge,
  Button,
  Group,
  Loader,
  SegmentedControl,
  Select,
  Stack,
  TagsInput,
  Text,
} from "@mantine/core";
import { ErrorText } from "../../components/error-panel.tsx";
import { Section } from "../../components/section.tsx";
import { strings } from "../../strings.ts";
import type { PushForm } from "./compose-page.tsx";
import { SELECTORS } from "./draft.ts";
import type { Reach } from "./reach.ts";
import { pushStrings } from "./strings.ts";

const texts = pushStrings.new;
const ENVIRONMENTS = ["PRODUCTION", "DEVELOPMENT"] as const;
/** What separates ids that are typed or pasted, such as a column of a spreadsheet. */
const ID_SEPARATORS = [",", ";", " ", "\n", "\t"];
/** What separates tags, which may contain everything else. */
const TAG_SEPARATORS = [",", "\n"];
/** One entry more than the service takes: it then refuses the list, which the field would cut off without a word. */
const ENTRIES_MAX = 10_001;

/** Whom a push reaches, with the number of devices while they are chosen. */
export function RecipientFields({ form, reach }: { form: PushForm; reach: Reach }) {
  const { by } = form.values;
  return (
    <Section title={texts.recipients}>
      <Select
        label={texts.by}
        data={SELECTORS.map((value) => ({ value, label: texts.selectors[value] }))}
        allowDeselect={false}
        {...form.getInputProps("by")}
      />
      <TagsInput
        label={texts.entries[by]}
        description={texts.entriesHint}
        splitChars={by.startsWith("tags") ? TAG_SEPARATORS : ID_SEPARATORS}
        // Upper and lower case are different users and tags.
        isDuplicate={(entry, entries) => entries.includes(entry)}
        acceptValueOnBlur
        maxTags={ENTRIES_MAX}
        {...form.getInputProps("entries")}
      />
      <div>
        <Text size="sm" fw={500} id="push-environment">
          {texts.environment}
        </Text>
        <Text size="xs" c="dimmed" mb={6}>
          {texts.environmentText}
        </Text>
        <SegmentedControl
          aria-labelledby="push-environment"
          data={ENVIRONMENTS.map((value) => ({ value, label: pushStrings.environments[value] }))}
          {...form.getInputProps("environment")}
        />
      </div>
      <div role="status" className="reach">
        <ReachText reach={reach} />
      </div>
    </Section>
  );
}

function ReachText({ reach: { state, text, channels, error, retry } }: { reach: Reach }) {
  if (state === "counting") {
    return (
      <Group gap="xs">
        <Loader size={14} />
        <Text size="sm" c="dimmed">
          {texts.counting}
        </Text>
      </Group>
    );
  }
  if (error) {
    return (
      <Stack gap="xs" align="flex-start">
        <Text size="sm" c="red" component="div">
          <ErrorText error={error} />
        </Text>
        <Button variant="default" size="xs" onClick={retry}>
          {strings.common.retry}
        </Button>
      </Stack>
    );
  }
  if (state === "nobody") {
    return (
      <Text size="sm" c="orange">
        {texts.reachesNobody}
      </Text>
    );
  }
  if (state === "empty") return null;
  return (
    <Group gap="xs">
      <Text size="sm" fw={600}>
        {text !== null && texts.reaches(text)}
      </Text>
      {channels.map((channel) => (
        <Badge key={channel} variant="light" color="gray" tt="none">
          {channel}
        </Badge>
      ))}
    </Group>
  );
}
