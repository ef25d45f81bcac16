import { PlusIcon } from "@heroicons/react/24/outline";
import { Anchor, Badge, Box, Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Link } from "react-router";
import { useOperation } from "../../api/queries.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { type Column, EntryList } from "../../components/entry-list.tsx";
import { ErrorPanel } from "../../components/error-panel.tsx";
import { SearchField } from "../../components/search-field.tsx";
import { useUrlFilters } from "../../components/url-filters.ts";
import { formatDate } from "../../formats.ts";
import { useRole } from "../../session/use-account.ts";
import { Page } from "../../shell/page.tsx";
import { ApplicationsDocument, type ApplicationsQuery } from "./applications.generated.ts";
import { CreateApplication } from "./create-application.tsx";
import { applicationsStrings } from "./strings.ts";

const texts = applicationsStrings;
type Row = ApplicationsQuery["account"]["applications"][number];

const COLUMNS: readonly Column<Row>[] = [
  {
    key: "name",
    title: texts.name,
    render: ({ id, name }) => (
      <Anchor component={Link} to={`/applications/${id}`} fw={600}>
        {name}
      </Anchor>
    ),
  },
  { key: "id", title: texts.id, render: ({ id }) => id },
  {
    key: "signUp",
    title: texts.signUp,
    render: ({ signUpOpen }) => (
      <Badge variant="light" color={signUpOpen ? "green" : "gray"} tt="none">
        {signUpOpen ? texts.signUpOpen : texts.signUpClosed}
      </Badge>
    ),
  },
  { key: "createdAt", title: texts.createdAt, render: ({ createdAt }) => formatDate(createdAt) },
];

/** The list of applications. An account has at most 1,000, so that the page has all of them at once. */
export function Component() {
  const [{ search }, setFilters] = useUrlFilters({ search: "" });
  const [isCreating, { open, close }] = useDisclosure();
  const { canChange } = useRole();
  const query = useOperation(ApplicationsDocument, {});
  const all = query.data?.account.applications;
  const wanted = search.trim().toLowerCase();
  const rows = all?.filter(({ id, name }) => id === wanted || name.toLowerCase().includes(wanted));
  const create = canChange && (
    <Button onClick={open} leftSection={<PlusIcon width={18} aria-hidden />}>
      {texts.create}
    </Button>
  );
  return (
    <Page title={texts.title} lead={texts.lead} actions={create}>
      <Box maw={360}>
        <SearchField
          label={texts.search}
          placeholder={texts.searchPlaceholder}
          value={search}
          onChange={(text) => setFilters({ search: text })}
        />
      </Box>
      {query.error ? (
        <ErrorPanel error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <EntryList
          label={texts.listLabel}
          columns={COLUMNS}
          rows={rows}
          rowKey={({ id }) => id}
          empty={
            all?.length === 0 ? (
              <EmptyState title={texts.empty} text={texts.emptyText} action={create} />
            ) : (
              <EmptyState title={texts.emptySearch} text={texts.emptySearchText} />
            )
          }
        />
      )}
      <CreateApplication opened={isCreating} onClose={close} />
    </Page>
  );
}
