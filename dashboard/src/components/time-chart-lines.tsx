import { Table, useComputedColorScheme, VisuallyHidden } from "@mantine/core";
import {
  CategoryScale,
  Chart,
  type ChartConfiguration,
  Filler,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
} from "chart.js";
import { useEffect, useRef } from "react";
import { formatNumber } from "../formats.ts";

/** What a `TimeChart` shows. */
export interface TimeChartProps {
  /** What the statistics are, for screen readers, which get them as a table. */
  label: string;
  /** Rows in the order of time: a text for the time, and a number for each series. */
  data: readonly ({ time: string } & Record<string, string | number>)[];
  /** The series with their colors, such as indigo.6. */
  series: readonly { name: string; label: string; color: string }[];
  /** Whether the series add up. */
  stacked?: boolean;
  /** In pixels. */
  height: number;
}

Chart.register(
  CategoryScale,
  Filler,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
);

/** Transparency of the area below a line, as two hexadecimal digits. */
const AREA = "2b";

/** The chart itself, without a legend, in a file of its own for `lazy`. */
export default function TimeChartLines(props: TimeChartProps) {
  const { label, data, series, height } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useComputedColorScheme("light", { getInitialValueInEffect: false });
  const latest = useRef(props);
  latest.current = props;
  // Equal statistics, which the page reads again and again, leave the chart as it is.
  const key = JSON.stringify([data, series, scheme]);
  useEffect(() => {
    if (!canvas.current) return;
    const chart = new Chart(canvas.current, configurationOf(latest.current));
    return () => chart.destroy();
  }, [key]);
  return (
    <figure aria-label={label} className="chart">
      <div className="chart-area" style={{ height }}>
        <canvas ref={canvas} aria-hidden />
      </div>
      <VisuallyHidden>
        <Table aria-label={label}>
          <Table.Tbody>
            {data.map((row) => (
              <Table.Tr key={row.time}>
                <Table.Th scope="row">{row.time}</Table.Th>
                {series.map(({ name, label: title }) => (
                  <Table.Td key={name}>
                    {title}: {row[name]}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </VisuallyHidden>
    </figure>
  );
}

/** The color of a name such as indigo.6 or dimmed, as the present color scheme has it. */
function colorOf(name: string): string {
  const variable = `--mantine-color-${name.replace(".", "-")}`;
  return getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
}

function configurationOf({
  data,
  series,
  stacked = false,
}: TimeChartProps): ChartConfiguration<"line", number[], string> {
  const text = colorOf("dimmed");
  return {
    type: "line",
    data: {
      labels: data.map(({ time }) => time),
      datasets: series.map(({ name, label, color }, index) => ({
        label,
        data: data.map((row) => Number(row[name])),
        borderColor: colorOf(color),
        backgroundColor: `${colorOf(color)}${AREA}`,
        borderWidth: 2,
        pointRadius: 0,
        pointHoverRadius: 4,
        pointHoverBackgroundColor: colorOf(color),
        cubicInterpolationMode: "monotone",
        fill: stacked && index > 0 ? "-1" : "origin",
      })),
    },
    options: {
      animation: false,
      maintainAspectRatio: false,
      font: { family: getComputedStyle(document.body).fontFamily, size: 11 },
      interaction: { mode: "index", intersect: false },
      plugins: {
        tooltip: {
          callbacks: {
            label: ({ dataset, parsed }) => ` ${dataset.label}: ${formatNumber(parsed.y ?? 0)}`,
            labelColor: ({ dataset }) => ({
              borderColor: String(dataset.borderColor),
              backgroundColor: String(dataset.borderColor),
            }),
          },
        },
      },
      scales: {
        x: {
          border: { display: false },
          grid: { display: false },
          ticks: { color: text, maxRotation: 0, maxTicksLimit: 6 },
        },
        y: {
          beginAtZero: true,
          stacked,
          border: { display: false },
          grid: { color: colorOf("default-border") },
          ticks: {
            color: text,
            precision: 0,
            maxTicksLimit: 5,
            callback: (value) => formatNumber(Number(value)),
          },
        },
      },
    },
  };
}
