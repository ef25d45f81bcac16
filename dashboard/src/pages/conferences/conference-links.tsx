import { Text } from "@mantine/core";
import { useOperation } from "../../api/queries.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { type Column, EntryList } from "../../components/entry-list.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { ListSection } from "../../components/list-section.tsx";
import { formatDateTime } from "../../formats.ts";
import {
  type ConferenceFieldsFragment,
  ConferenceLinksDocument,
  type ConferenceLinksQuery,
} from "./conference.generated.ts";
import { conferenceStrings } from "./strings.ts";

const texts = conferenceStrings;
type Row = ConferenceLinksQuery["conferenceLinks"][number];

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

/** How often the links of an open conference are read, which no subscription delivers, in milliseconds. */
const LINKS_MS = 5_000;

/** The links that admit guests. Nobody but their creator has seen their secrets. */
export function ConferenceLinks({
  conference: { id, closedAt },
}: {
  conference: ConferenceFieldsFragment;
}) {
  const isOpen = closedAt === null;
  const query = useOperation(
    ConferenceLinksDocument,
    { id },
    isOpen ? { refreshMs: LINKS_MS } : {},
  );
  const links = query.data?.conferenceLinks;
  if (!isOpen && !query.error && !links?.length) return null;
  return (
    <ListSection title={texts.links} lead={texts.linksLead}>
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {links && (
        <EntryList
          label={texts.linksLabel}
          columns={COLUMNS}
          rows={links}
          rowKey={({ id }) => id}
          empty={<EmptyState title={texts.noLinks} text={texts.noLinksText} />}
        />
      )}
    </ListSection>
  );
}
