import {
  NumberInput,
  SegmentedControl,
  Select,
  SimpleGrid,
  Switch,
  Textarea,
  TextInput,
} from "@mantine/core";
import { MoreFields } from "../../components/more-fields.tsx";
import { Section } from "../../components/section.tsx";
import type { PushForm } from "./compose-page.tsx";
import { EXAMPLES, PLATFORMS } from "./draft.ts";
import { pushStrings } from "./strings.ts";

const texts = pushStrings.new;
const FORMS = ["text", "raw"] as const;
/** Fields that are hidden at first. */
const RARE = [
  "badge",
  "sound",
  "subtitle",
  "threadId",
  "channelId",
  "androidImage",
  "webIcon",
  "webTag",
  "voip",
  "expiresAt",
  "data",
];

/** What a push says: a text for all platforms, or the JSON of one. */
export function MessageFields({ form }: { form: PushForm }) {
  return (
    <Section title={texts.message}>
      <SegmentedControl
        aria-label={texts.form}
        fullWidth
        data={FORMS.map((value) => ({ value, label: texts.forms[value] }))}
        {...form.getInputProps("form")}
      />
      {form.values.form === "text" ? <TextFields form={form} /> : <RawFields form={form} />}
    </Section>
  );
}

function TextFields({ form }: { form: PushForm }) {
  const text = (
    name: "sound" | "subtitle" | "threadId" | "channelId" | "androidImage" | "webIcon" | "webTag",
    description?: string,
  ) => (
    <TextInput
      label={texts[name]}
      description={description}
      autoComplete="off"
      inputWrapperOrder={["label", "input", "description", "error"]}
      {...form.getInputProps(name)}
    />
  );
  return (
    <>
      <TextInput label={texts.titleField} autoComplete="off" {...form.getInputProps("title")} />
      <Textarea
        label={texts.body}
        autosize
        minRows={3}
        maxRows={10}
        {...form.getInputProps("body")}
      />
      <MoreFields errors={form.errors} names={RARE}>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
          <NumberInput
            label={texts.badge}
            description={texts.badgeText}
            allowDecimal={false}
            allowNegative={false}
            max={2_147_483_647}
            inputWrapperOrder={["label", "input", "description", "error"]}
            {...form.getInputProps("badge")}
          />
          {text("sound", texts.soundText)}
          {text("subtitle")}
          {text("threadId", texts.threadIdText)}
          {text("channelId")}
          {text("androidImage")}
          {text("webIcon")}
          {text("webTag", texts.webTagText)}
        </SimpleGrid>
        <Switch
          label={texts.voip}
          description={texts.voipText}
          {...form.getInputProps("voip", { type: "checkbox" })}
        />
        <TextInput
          type="datetime-local"
          label={texts.expiresAt}
          description={texts.expiresAtText}
          {...form.getInputProps("expiresAt")}
        />
        <Json form={form} name="data" label={texts.data} description={texts.dataText} />
      </MoreFields>
    </>
  );
}

function RawFields({ form }: { form: PushForm }) {
  const platform = form.getInputProps("platform");
  const choose = (value: string | null) => {
    const { platform: before, payload } = form.values;
    platform.onChange(value);
    // Another example, unless somebody has changed the present one.
    const next = PLATFORMS.find((each) => each === value);
    if (next && payload === EXAMPLES[before]) form.setFieldValue("payload", EXAMPLES[next]);
  };
  return (
    <>
      <Select
        label={texts.platform}
        data={PLATFORMS.map((value) => ({ value, label: pushStrings.channels[value] }))}
        allowDeselect={false}
        {...platform}
        onChange={choose}
      />
      <Json form={form} name="payload" label={texts.payload} description={texts.payloadText} />
    </>
  );
}

/** A field for JSON. A form says what is wrong with it when it is submitted, and when the field is left. */
function Json({
  form,
  name,
  label,
  description,
}: {
  form: PushForm;
  name: "data" | "payload";
  label: string;
  description: string;
}) {
  const { onBlur, ...props } = form.getInputProps(name);
  return (
    <Textarea
      label={label}
      description={description}
      autosize
      minRows={name === "data" ? 2 : 8}
      maxRows={20}
      spellCheck={false}
      classNames={{ input: "mono" }}
      {...props}
      onBlur={(event) => {
        onBlur?.(event);
        if (form.values[name].trim() !== "") form.validateField(name);
      }}
    />
  );
}
