import { Anchor, Group, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";
import { Link, useLocation } from "react-router";
import { strings } from "../strings.ts";

/** The path that was shown last; null for the first page, where the browser's own focus is right. */
let shownPath: string | null = null;

/**
 * A page: its heading, which names the window and gets the focus when the page is opened, so that keyboards and screen
 * readers begin there.
 */
export function Page({
  title,
  lead,
  parent,
  badge,
  actions,
  children,
}: {
  title: string;
  lead?: string;
  /** The page above, for a link back. */
  parent?: { title: string; to: string };
  badge?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname } = useLocation();
  useEffect(() => {
    document.title = strings.documentTitle(title);
  }, [title]);
  useEffect(() => {
    if (shownPath !== null && shownPath !== pathname) {
      window.scrollTo(0, 0);
      heading.current?.focus({ preventScroll: true });
    }
    shownPath = pathname;
  }, [pathname]);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          {parent && (
            <Anchor component={Link} to={parent.to} size="sm">
              ← {parent.title}
            </Anchor>
          )}
          <Group gap="sm">
            <Title order={1} size="h2" className="page-title" ref={heading} tabIndex={-1}>
              {title}
            </Title>
            {badge}
          </Group>
          {lead && <Text c="dimmed">{lead}</Text>}
        </div>
        {actions && <Group gap="sm">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
