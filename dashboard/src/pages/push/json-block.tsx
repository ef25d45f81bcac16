import { Code, Group } from "@mantine/core";
import { CopyTextButton } from "../../components/secret-field.tsx";

/** JSON to read and copy, which scrolls if it is long. */
export function JsonBlock({ label, value }: { label: string; value: unknown }) {
  const text = JSON.stringify(value, null, 2);
  return (
    <div className="json">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll what has the focus */}
      <section aria-label={label} tabIndex={0} className="json-text">
        <Code block>{text}</Code>
      </section>
      <Group className="json-copy">
        <CopyTextButton value={text} name={label} />
      </Group>
    </div>
  );
}
