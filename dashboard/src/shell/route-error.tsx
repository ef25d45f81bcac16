import { Button, Group } from "@mantine/core";
import { Link, useRouteError } from "react-router";
import { asServiceError } from "../api/errors.ts";
import { EmptyState } from "../components/empty-state.tsx";
import { ErrorPanel } from "../components/error-panel.tsx";
import { strings } from "../strings.ts";
import { Page } from "./page.tsx";

const texts = strings.errors;
/** What browsers say of a file that is gone, since the page was updated while it was open. */
const MISSING_FILE = /dynamically imported module|module script failed|preload CSS/i;

/** Stands in for a page that has thrown, or whose code cannot be loaded. */
export function RouteError() {
  const error = asServiceError(useRouteError());
  const reload = (
    <Button onClick={() => location.reload()} mt="sm">
      {texts.reload}
    </Button>
  );
  if (MISSING_FILE.test(error.message)) {
    return (
      <Page title={texts.newVersion}>
        <EmptyState title={texts.newVersion} text={texts.newVersionText} action={reload} />
      </Page>
    );
  }
  return (
    <Page title={texts.pageFailed}>
      <ErrorPanel error={error} />
      <Group>{reload}</Group>
    </Page>
  );
}

/** The page of a path that does not exist. */
export function MissingPage() {
  const toStart = (
    <Button component={Link} to="/" mt="sm">
      {texts.toStart}
    </Button>
  );
  return (
    <Page title={texts.pageMissing}>
      <EmptyState title={texts.pageMissing} text={texts.pageMissingText} action={toStart} />
    </Page>
  );
}
