import { Badge } from "@mantine/core";
import type { LiveState, LiveSubscription } from "../api/subscriptions.ts";
import { strings } from "../strings.ts";
import { ErrorPanel } from "./error-panel.tsx";

const COLORS = { connecting: "gray", live: "green", reconnecting: "orange", ended: "red" } as const;

/** Says whether what the page shows changes by itself. */
export function LiveIndicator({ state }: { state: LiveState }) {
  return (
    <Badge
      role="status"
      variant="dot"
      color={COLORS[state]}
      tt="none"
      {...(state === "live" && { classNames: { root: "live" } })}
    >
      {strings.live[state]}
    </Badge>
  );
}

/** Why a page no longer changes by itself, with a button that subscribes again; nothing while it does. */
export function LiveError({ of: { error, retry } }: { of: LiveSubscription }) {
  return error && <ErrorPanel error={error} onRetry={retry} />;
}
