import { Button, Checkbox, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import { useChange, useOperation } from "../../api/queries.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { type Column, EntryList } from "../../components/entry-list.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { ListSection } from "../../components/list-section.tsx";
import { RevokeButton } from "../../components/revoke-button.tsx";
import { formatDate, formatDateTime, formatRelative } from "../../formats.ts";
import { useRole } from "../../session/use-account.ts";
import { ApiKeysDocument, type ApiKeysQuery, RevokeApiKeyDocument } from "./api-keys.generated.ts";
import { CreateApiKey } from "./create-api-key.tsx";
import { apiKeyStrings } from "./strings.ts";

const texts = apiKeyStrings;
type ApiKey = ApiKeysQuery["application"]["apiKeys"][number];

const COLUMNS: readonly Column<ApiKey>[] = [
  {
    key: "name",
    title: texts.name,
    render: ({ name }) => (
      <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
        {name}
      </Text>
    ),
  },
  {
    key: "scopes",
    title: texts.scopes,
    render: ({ scopes }) => scopes.map((scope) => texts.scopeNames[scope][0]).join(", "),
  },
  { key: "expires", title: texts.expires, render: ({ expiresAt }) => expiryLabel(expiresAt) },
  {
    key: "lastUsed",
    title: texts.lastUsed,
    render: ({ lastUsedAt }) =>
      lastUsedAt ? (
        <Text size="sm" span title={formatDateTime(lastUsedAt)}>
          {formatRelative(lastUsedAt)}
        </Text>
      ) : (
        texts.never
      ),
  },
  {
    key: "createdBy",
    title: texts.createdBy,
    render: ({ createdBy }) => (
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        {createdBy}
      </Text>
    ),
    wideOnly: true,
  },
  {
    key: "created",
    title: texts.created,
    render: ({ createdAt }) => (
      <Text size="sm" span title={formatDateTime(createdAt)}>
        {formatDate(createdAt)}
      </Text>
    ),
    wideOnly: true,
  },
];

const ACTIONS: Column<ApiKey> = {
  key: "actions",
  title: texts.actions,
  align: "right",
  render: (apiKey) => <Revoke apiKey={apiKey} />,
};

/** The API keys of an application: the backend's, which are shown once. */
export function ApiKeys({ applicationId }: { applicationId: string }) {
  const { canChange } = useRole();
  const [isCreating, { open, close }] = useDisclosure();
  const query = useOperation(ApiKeysDocument, { id: applicationId });
  const apiKeys = query.data?.application.apiKeys;
  return (
    <ListSection title={texts.title} lead={texts.lead}>
      {query.error && <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />}
      {!query.error && !apiKeys && <Skeleton height={120} aria-busy />}
      {apiKeys && (
        <Stack>
          <EntryList
            label={texts.title}
            columns={canChange ? [...COLUMNS, ACTIONS] : COLUMNS}
            rows={apiKeys}
            rowKey={({ id }) => id}
            empty={<EmptyState title={texts.empty} text={texts.emptyText} />}
          />
          {canChange && (
            <Group>
              <Button variant="default" onClick={open}>
                {texts.create}
              </Button>
            </Group>
          )}
        </Stack>
      )}
      <CreateApiKey applicationId={applicationId} opened={isCreating} onClose={close} />
    </ListSection>
  );
}

function expiryLabel(expiresAt: string | null | undefined): string {
  if (!expiresAt) return texts.never;
  const day = formatDate(expiresAt);
  return new Date(expiresAt).getTime() <= Date.now() ? texts.expired(day) : day;
}

function Revoke({ apiKey: { id, name, scopes } }: { apiKey: ApiKey }) {
  const [endSessions, setEndSessions] = useState(false);
  const { mutateAsync } = useChange(RevokeApiKeyDocument, [ApiKeysDocument]);
  const revoke = async () => {
    const { revokeApiKey } = await mutateAsync({ input: { id, endSessions } });
    return texts.revoked(name, revokeApiKey.endedSessionCount ?? null);
  };
  return (
    <RevokeButton name={name} texts={texts} onRevoke={revoke}>
      {scopes.includes("SESSIONS") && (
        <Checkbox
          label={texts.endSessions}
          description={texts.endSessionsText}
          checked={endSessions}
          onChange={(event) => setEndSessions(event.currentTarget.checked)}
        />
      )}
    </RevokeButton>
  );
}
