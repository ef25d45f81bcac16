import { ColorSwatch, Group, Text } from "@mantine/core";

/** The names of the series of a chart, with their colors and what they come to. */
export function ChartLegend({
  series,
}: {
  series: readonly { label: string; color: string; figure?: string | undefined }[];
}) {
  return (
    <Group component="ul" gap="md" className="legend">
      {series.map(({ label, color, figure }) => (
        <li key={label}>
          <ColorSwatch
            color={`var(--mantine-color-${color.replace(".", "-")})`}
            size={10}
            withShadow={false}
            aria-hidden
          />
          <Text size="xs" span>
            {label}
            {figure !== undefined && <b> {figure}</b>}
          </Text>
        </li>
      ))}
    </Group>
  );
}
