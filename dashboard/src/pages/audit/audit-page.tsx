import { ArrowDownTrayIcon } from "@heroicons/react/24/outline";
import { Anchor, Button, Menu, Text } from "@mantine/core";
import { useMemo, useState } from "react";
import { useOperation } from "../../api/queries.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import type { Column } from "../../components/entry-list.tsx";
import { KeysetList, usePagePosition } from "../../components/keyset-list.tsx";
import { formatDateTime } from "../../formats.ts";
import { Page } from "../../shell/page.tsx";
import { strings } from "../../strings.ts";
import { AuditEntriesDocument } from "./audit.generated.ts";
import { AuditDetails } from "./audit-details.tsx";
import { AuditFilterBar } from "./audit-filter-bar.tsx";
import { auditVariables, useAuditFilters } from "./audit-filters.ts";
import { type AuditEntry, actionLabel } from "./audit-labels.ts";
import { exportAuditLog } from "./export-audit.ts";
import { ResultBadge } from "./result-badge.tsx";
import { auditStrings } from "./strings.ts";
import { useNames } from "./use-names.ts";

const texts = auditStrings;
/** The audit log of the account: who changed what, when and from where. */
export function Component() {
  const state = useAuditFilters();
  const position = usePagePosition();
  const variables = auditVariables(state.filters);
  const query = useOperation(
    AuditEntriesDocument,
    { ...variables, ...position },
    { keepPrevious: true },
  );
  const [opened, setOpened] = useState<AuditEntry | null>(null);
  const names = useNames();
  const columns = useMemo(() => columnsFor(names.application, setOpened), [names.application]);
  return (
    <Page
      title={texts.title}
      lead={texts.lead}
      actions={<ExportMenu onChoose={(format) => exportAuditLog(variables, format)} />}
    >
      <AuditFilterBar state={state} names={names} />
      <KeysetList
        query={query}
        page={query.data?.account.auditEntries}
        label={texts.listLabel}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          state.isFiltered ? (
            <EmptyState
              title={texts.emptyFilter}
              text={texts.emptyFilterText}
              action={
                <Button variant="default" mt="xs" onClick={state.clear}>
                  {strings.common.clearFilters}
                </Button>
              }
            />
          ) : (
            <EmptyState title={texts.empty} text={texts.emptyText} />
          )
        }
      />
      <AuditDetails
        entry={opened}
        names={names}
        onClose={() => setOpened(null)}
        onFilter={(subject) => {
          setOpened(null);
          state.showOnly(subject);
        }}
      />
    </Page>
  );
}

function columnsFor(
  nameOf: (applicationId: string) => string,
  open: (entry: AuditEntry) => void,
): readonly Column<AuditEntry>[] {
  return [
    {
      key: "change",
      title: texts.change,
      render: (entry) => {
        const { action, applicationId, createdAt } = entry;
        const change = actionLabel(action);
        return (
          <>
            <Anchor
              component="button"
              type="button"
              fw={600}
              ta="left"
              size="sm"
              aria-label={texts.open(change, formatDateTime(createdAt))}
              onClick={() => open(entry)}
            >
              {change}
            </Anchor>
            {applicationId && (
              <Text size="xs" c="dimmed">
                {nameOf(applicationId)}
              </Text>
            )}
          </>
        );
      },
    },
    {
      key: "who",
      title: texts.who,
      render: ({ email, role, apiKey }) => (
        <>
          <Text size="sm" style={{ overflowWrap: "anywhere" }}>
            {apiKey ? texts.apiKey(apiKey.name) : email}
          </Text>
          <Text size="xs" c="dimmed">
            {apiKey ? email : strings.roles[role]}
          </Text>
        </>
      ),
    },
    { key: "when", title: texts.when, render: ({ createdAt }) => formatDateTime(createdAt) },
    { key: "address", title: texts.address, render: ({ ip }) => ip, wideOnly: true },
    { key: "result", title: texts.result, render: (entry) => <ResultBadge entry={entry} /> },
  ];
}

function ExportMenu({ onChoose }: { onChoose(format: "csv" | "jsonl"): void }) {
  return (
    <Menu position="bottom-end" width={300}>
      <Menu.Target>
        <Button variant="default" leftSection={<ArrowDownTrayIcon width={18} aria-hidden />}>
          {texts.export}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onChoose("csv")}>{texts.exportCsv}</Menu.Item>
        <Menu.Item onClick={() => onChoose("jsonl")}>{texts.exportJsonl}</Menu.Item>
        <Menu.Label>{texts.exportHint}</Menu.Label>
      </Menu.Dropdown>
    </Menu>
  );
}
