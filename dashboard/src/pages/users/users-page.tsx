import "./users.css";
import { PlusIcon } from "@heroicons/react/24/outline";
import { Anchor, Badge, Button, Group, Paper, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMemo } from "react";
import { Link } from "react-router";
import { useOperation } from "../../api/queries.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import type { Column } from "../../components/entry-list.tsx";
import { KeysetList, usePagePosition } from "../../components/keyset-list.tsx";
import { formatDate } from "../../formats.ts";
import { useRole } from "../../session/use-account.ts";
import { Page } from "../../shell/page.tsx";
import { useApplicationId } from "../../shell/use-application-id.ts";
import { strings } from "../../strings.ts";
import { Missing, Moment } from "./cells.tsx";
import { CreateUser } from "./create-user.tsx";
import { ListControls } from "./list-controls.tsx";
import { usersStrings } from "./strings.ts";
import { useUserList } from "./use-user-list.ts";
import { userName } from "./user-name.ts";
import { ApplicationUsersDocument, type ApplicationUsersQuery } from "./users.generated.ts";

const texts = usersStrings;
type Row = ApplicationUsersQuery["application"]["users"]["nodes"][number];

/** The users of an application: searched, filtered and sorted, page by page. */
export function Component() {
  const applicationId = useApplicationId();
  const state = useUserList();
  const position = usePagePosition();
  const query = useOperation(
    ApplicationUsersDocument,
    { applicationId, ...state.variables, ...position },
    { keepPrevious: true, enabled: state.variables !== null },
  );
  const [isCreating, { open, close }] = useDisclosure();
  const { canChange } = useRole();
  const columns = useMemo(() => columnsFor(applicationId), [applicationId]);
  const create = canChange && (
    <Button onClick={open} leftSection={<PlusIcon width={18} aria-hidden />}>
      {texts.create}
    </Button>
  );
  const clear = (
    <Button variant="default" mt="xs" onClick={state.clear}>
      {strings.common.clearFilters}
    </Button>
  );
  const id = state.filters.search.trim();
  return (
    <Page title={texts.title} lead={texts.lead} actions={create}>
      <ListControls state={state} />
      {/^[0-9]{1,15}$/.test(id) && (
        <Anchor component={Link} to={`/applications/${applicationId}/users/${id}`} size="sm">
          {texts.openId(id)}
        </Anchor>
      )}
      {state.variables === null ? (
        <Paper withBorder>
          <EmptyState title={texts.filterTooWideTitle} text={texts.filterTooWide} action={clear} />
        </Paper>
      ) : (
        <KeysetList
          query={query}
          page={query.data?.application.users}
          label={texts.listLabel}
          columns={columns}
          rowKey={(row) => row.id}
          empty={
            state.isFiltered ? (
              <EmptyState title={texts.emptyFilter} text={texts.emptyFilterText} action={clear} />
            ) : (
              <EmptyState title={texts.empty} text={texts.emptyText} action={create} />
            )
          }
        />
      )}
      <CreateUser applicationId={applicationId} opened={isCreating} onClose={close} />
    </Page>
  );
}

function columnsFor(applicationId: string): readonly Column<Row>[] {
  return [
    {
      key: "name",
      title: texts.name,
      render: (row) => <Name applicationId={applicationId} row={row} />,
    },
    {
      key: "email",
      title: texts.email,
      render: ({ email }) => <span className="breakable">{email ?? <Missing />}</span>,
    },
    {
      key: "tags",
      title: texts.tags,
      render: ({ tags }) => <Tags tags={tags} />,
    },
    {
      key: "lastSeen",
      title: texts.lastSeen,
      render: ({ lastRequestAt }) => <Moment time={lastRequestAt} />,
    },
    {
      key: "createdAt",
      title: texts.createdAt,
      render: ({ createdAt }) => <span className="no-wrap">{formatDate(createdAt)}</span>,
      wideOnly: true,
    },
    { key: "id", title: texts.id, render: ({ id }) => id, align: "right", wideOnly: true },
  ];
}

function Name({ applicationId, row }: { applicationId: string; row: Row }) {
  const { id, login, fullName, isGuest, blockedAt } = row;
  return (
    <>
      <Anchor
        component={Link}
        to={`/applications/${applicationId}/users/${id}`}
        fw={600}
        className="breakable"
      >
        {userName(row)}
      </Anchor>
      <Group gap={6}>
        {fullName && login && (
          <Text size="xs" c="dimmed" className="breakable">
            {login}
          </Text>
        )}
        {blockedAt && (
          <Badge color="red" variant="light" size="sm" tt="none">
            {texts.blocked}
          </Badge>
        )}
        {isGuest && (
          <Badge color="gray" variant="outline" size="sm" tt="none">
            {texts.guest}
          </Badge>
        )}
      </Group>
    </>
  );
}

function Tags({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return <Missing />;
  return (
    <Group gap={4} className="tags">
      {tags.map((tag) => (
        <Badge key={tag} variant="default" fw={500} size="sm" tt="none" maw={160} title={tag}>
          {tag}
        </Badge>
      ))}
    </Group>
  );
}
