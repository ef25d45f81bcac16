import { DocumentTextIcon } from "@heroicons/react/24/outline";
import { Button, FileButton, Group, Text, Textarea } from "@mantine/core";
import type { GetInputPropsReturnType } from "@mantine/form";
import { type DragEvent, useState } from "react";
import { providersStrings } from "./strings.ts";

const texts = providersStrings.file;
/** Larger files are none of those that the services give out, in bytes. */
const FILE_MAX = 100_000;

/** A text that is pasted, or read in the browser from a file that is chosen or dropped. */
export function TextFileField({
  label,
  description,
  accept,
  field,
  onFile,
}: {
  label: string;
  description?: string;
  /** Endings of the files to choose from. */
  accept: string;
  /** The field of the form, by its getInputProps. */
  field: GetInputPropsReturnType;
  /** Called with the name of a file, which may say more. */
  onFile?(name: string): void;
}) {
  const [name, setName] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const read = async (file: File | null | undefined) => {
    if (!file) return;
    if (file.size > FILE_MAX) {
      setProblem(texts.tooLarge(file.name));
      return;
    }
    setProblem(null);
    field.onChange(await file.text());
    setName(file.name);
    onFile?.(file.name);
  };
  const drop = (event: DragEvent) => {
    const [file] = event.dataTransfer.files;
    if (!file) return;
    event.preventDefault();
    void read(file);
  };
  return (
    <div>
      <Textarea
        label={label}
        description={description}
        placeholder={texts.placeholder}
        autosize
        minRows={3}
        maxRows={6}
        spellCheck={false}
        autoComplete="off"
        classNames={{ input: "mono" }}
        {...field}
        error={problem ?? field.error}
        onChange={({ currentTarget }) => {
          setName(null);
          setProblem(null);
          field.onChange(currentTarget.value);
        }}
        onDragOver={(event) => event.preventDefault()}
        onDrop={drop}
      />
      <Group gap="sm" mt={6}>
        <FileButton onChange={(file) => void read(file)} accept={accept}>
          {(props) => (
            <Button
              {...props}
              variant="default"
              size="compact-sm"
              leftSection={<DocumentTextIcon width={16} aria-hidden />}
            >
              {texts.choose}
            </Button>
          )}
        </FileButton>
        <Text size="xs" c="dimmed" role="status">
          {name !== null && texts.read(name)}
        </Text>
      </Group>
    </div>
  );
}
