import type { ReactNode } from "react";

/** A line of {@link Details}. */
export interface Detail {
  title: string;
  value: ReactNode;
}

/** What is known about something, as a list of names and values; below each other where there is little room. */
export function Details({ details }: { details: readonly Detail[] }) {
  return (
    <dl className="details">
      {details.map(({ title, value }) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
