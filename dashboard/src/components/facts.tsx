import type { ReactNode } from "react";

/** A line of {@link Facts}. */
export interface Fact {
  title: string;
  value: ReactNode;
}

/** What is known about something, as a list of names and values; below each other where there is little room. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="facts">
      {facts.map(({ title, value }) => (
        <div key={title}>
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
