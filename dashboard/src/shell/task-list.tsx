import { XMarkIcon } from "@heroicons/react/24/outline";
import { ActionIcon, Affix, Badge, Group, Paper, Progress, Stack, Text } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { type RefObject, useEffect, useState } from "react";
import { dismissTask, hasRunningTask, type Task, useTasks } from "../api/tasks.ts";
import { ErrorText } from "../components/error-panel.tsx";
import { formatDuration } from "../formats.ts";
import { strings } from "../strings.ts";

const COLORS = { running: "indigo", done: "green", failed: "red", unanswered: "orange" } as const;

/** Between the tasks and the edges of the window, in pixels. */
const GAP = 16;

/** The long actions of this page, in a corner of every page. */
export function TaskList() {
  const tasks = useTasks();
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (hasRunningTask()) event.preventDefault();
    };
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, []);
  const { ref, height } = useElementSize<HTMLDivElement>();
  const isEmpty = tasks.length === 0;
  useEffect(() => {
    const root = document.documentElement.style;
    root.setProperty("--tasks-height", isEmpty ? "0px" : `${height + GAP}px`);
    return () => void root.removeProperty("--tasks-height");
  }, [isEmpty, height]);
  if (isEmpty) return null;
  return (
    <Affix position={{ bottom: GAP, right: GAP }} w="min(360px, calc(100vw - 32px))">
      <Stack
        gap="xs"
        component="section"
        aria-label={strings.tasks.title}
        aria-live="polite"
        ref={ref as RefObject<HTMLDivElement>}
      >
        {tasks.map((task) => (
          <TaskCard key={task.id} task={task} />
        ))}
      </Stack>
    </Affix>
  );
}

/** How long a task has been running. Screen readers do not read out each second. */
function Elapsed({ since }: { since: number }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <Text size="sm" c="dimmed" role="timer" aria-live="off">
      {strings.tasks.elapsed(formatDuration((now - since) / 1_000))}
    </Text>
  );
}

function TaskCard({ task }: { task: Task }) {
  const { id, title, state, startedAt, progress, detail, error } = task;
  return (
    <Paper withBorder shadow="md" p="sm">
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text fw={600} size="sm">
          {title}
        </Text>
        <Group gap={4} wrap="nowrap">
          <Badge color={COLORS[state]} variant="light" tt="none">
            {strings.tasks[state]}
          </Badge>
          {state !== "running" && (
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={strings.tasks.dismiss(title)}
              onClick={() => dismissTask(id)}
            >
              <XMarkIcon width={16} aria-hidden />
            </ActionIcon>
          )}
        </Group>
      </Group>
      {detail && (
        <Text size="sm" mt={4}>
          {detail}
        </Text>
      )}
      {error && <ErrorText error={error} />}
      {state === "running" && <Elapsed since={startedAt} />}
      {state === "running" && (
        <Progress
          mt="xs"
          size="sm"
          aria-label={title}
          value={progress === null ? 100 : progress * 100}
          striped={progress === null}
          animated={progress === null}
        />
      )}
    </Paper>
  );
}
