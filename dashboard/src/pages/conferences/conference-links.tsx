import { Text } from "@mantine/core";
import { EmptyState } from "../../components/empty-state.tsx";
import { type Column, EntryList } from "../../components/entry-list.tsx";
import { ListSection } from "../../components/list-section.tsx";
import { formatDateTime } from "../../formats.ts";
import { strings } from "../../strings.ts";
import type { ConferenceFieldsFragment } from "./conference.generated.ts";

const texts = strings.conference;
type Row = ConferenceFieldsFragment["links"][number];

const COLUMNS: readonly Column<Row>[] = [
  {
    key: "link",
    title: texts.linkName,
    render: ({ id }) => (
      <Text size="sm" fw={600}>
        {texts.link(id)}
      </Text>
    ),
  },
  { key: "uses", title: texts.linkUses, render: ({ uses, maxUses }) => texts.uses(uses, maxUses) },
  {
    key: "created",
    title: texts.linkCreated,
    render: ({ createdAt }) => formatDateTime(createdAt),
  },
  {
    key: "expires",
    title: texts.linkExpires,
    render: ({ expiresAt }) => formatDateTime(expiresAt),
  },
];

/** The links that admit guests. Nobody but their creator has seen their secrets. */
export function ConferenceLinks({
  conference: { links, closedAt },
}: {
  conference: ConferenceFieldsFragment;
}) {
  if (closedAt !== null && links.length === 0) return null;
  return (
    <ListSection title={texts.links} lead={texts.linksLead}>
      <EntryList
        label={texts.linksLabel}
        columns={COLUMNS}
        rows={links}
        rowKey={({ id }) => id}
        empty={<EmptyState title={texts.noLinks} text={texts.noLinksText} />}
      />
    </ListSection>
  );
}
