import { Skeleton } from "@mantine/core";
import { lazy, Suspense } from "react";
import type { TimeChartProps } from "./time-chart-lines.tsx";

const Lines = lazy(() => import("./time-chart-lines.tsx"));

/**
 * Statistics over time as lines. The library of charts is loaded with the first one. Of several series a `ChartLegend` says
 * which is which.
 */
export function TimeChart({
  height = 220,
  ...props
}: Omit<TimeChartProps, "height"> & { height?: number }) {
  return (
    <Suspense fallback={<Skeleton height={height} />}>
      <Lines {...props} height={height} />
    </Suspense>
  );
}
