import { useEffect, useSyncExternalStore } from "react";

/** An entry for each form of the page whose changes are not saved. */
const forms = new Set<object>();
const listeners = new Set<() => void>();

function notify(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Registers the changes of a form that are not saved: the page then asks before it is left. */
export function useUnsaved(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return;
    const form = {};
    forms.add(form);
    notify();
    return () => {
      forms.delete(form);
      notify();
    };
  }, [isDirty]);
}

/** Whether the page has changes that are not saved. */
export function hasUnsaved(): boolean {
  return forms.size > 0;
}

/** Whether the page has changes that are not saved; renders again when that changes. */
export function useHasUnsaved(): boolean {
  return useSyncExternalStore(subscribe, hasUnsaved);
}

/** Lets the page be left without a question: what its forms would change is deleted. */
export function forgetUnsaved(): void {
  forms.clear();
  notify();
}
