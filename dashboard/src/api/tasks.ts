import type { Document, SignalboxError } from "@signalbox/client";
import { useSyncExternalStore } from "react";
import { asServiceError, isUnanswered } from "./errors.ts";
import { type AnyDocument, operationName, queryClient } from "./queries.ts";
import { session } from "./session.ts";

/** Time for a change that takes long, in milliseconds. */
const LONG_MS = 15 * 60_000;

/** A long action, which continues while the member uses other pages. */
export interface Task {
  id: number;
  title: string;
  /** A change is unanswered when the connection breaks: the service may still be making it. */
  state: "running" | "done" | "failed" | "unanswered";
  /** When it began, in milliseconds since the Unix epoch. */
  startedAt: number;
  /** Part that is done, from 0 to 1; null if it is not known. */
  progress: number | null;
  /** What it does now, or what came of it. */
  detail: string | null;
  error: SignalboxError | null;
}

/** Reports how far a task is. @param progress from 0 to 1, or null if it is not known */
export type ReportProgress = (progress: number | null, detail?: string) => void;

let tasks: readonly Task[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function set(next: readonly Task[]): void {
  tasks = next;
  for (const listener of [...listeners]) listener();
}

function update(id: number, change: Partial<Task>): void {
  set(tasks.map((task) => (task.id === id ? { ...task, ...change } : task)));
}

session.onEnd(() => set([]));

/** A long action that consists of one mutation. */
export interface LongChange<Result, Variables> {
  title: string;
  /** What happens while it runs. */
  running: string;
  /** What to do when the connection breaks before the service has answered. */
  unanswered?: string;
  document: Document<Result, Variables>;
  variables: Variables;
  /** Queries whose answers are read again when it ends, also by an error: a part may have been done. */
  outdated?: readonly AnyDocument[];
  /** @returns what came of it, in one sentence */
  onDone(result: Result): string;
}

/** Runs a mutation that may take minutes as a task. @returns whether the service has made the change */
export function runLongChange<Result, Variables>({
  title,
  running,
  unanswered,
  document,
  variables,
  outdated = [],
  onDone,
}: LongChange<Result, Variables>): Promise<boolean> {
  const work = async (report: ReportProgress) => {
    report(null, running);
    try {
      const options = { timeoutMs: LONG_MS };
      return onDone(await session.connection.query(document, variables, options));
    } finally {
      for (const each of outdated) {
        void queryClient.invalidateQueries({ queryKey: [operationName(each)] });
      }
    }
  };
  return runTask(title, work, unanswered);
}

/**
 * Runs a long action in the list of tasks, which every page shows. An error is shown there, with the request id.
 * @param work resolves with what came of it, in one sentence
 * @param unanswered what to say if the service may continue although the connection has broken
 */
export async function runTask(
  title: string,
  work: (report: ReportProgress) => Promise<string>,
  unanswered?: string,
): Promise<boolean> {
  lastId += 1;
  const id = lastId;
  const startedAt = Date.now();
  set([
    ...tasks,
    { id, title, state: "running", startedAt, progress: null, detail: null, error: null },
  ]);
  try {
    const detail = await work((progress, text) =>
      update(id, { progress, ...(text !== undefined && { detail: text }) }),
    );
    update(id, { state: "done", progress: 1, detail });
    return true;
  } catch (problem) {
    const error = asServiceError(problem);
    const mayGoOn = unanswered !== undefined && isUnanswered(error);
    update(id, mayGoOn ? { state: "unanswered", detail: unanswered } : { state: "failed", error });
    return false;
  }
}

/** Removes a task that has ended from the list. */
export function dismissTask(id: number): void {
  set(tasks.filter((task) => task.id !== id || task.state === "running"));
}

/** Whether a task runs, which closing the page would stop. */
export function hasRunningTask(): boolean {
  return tasks.some(({ state }) => state === "running");
}

/** The tasks of this page, oldest first. */
export function useTasks(): readonly Task[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => tasks,
  );
}
