import { Badge } from "@mantine/core";
import { useEffect, useState } from "react";
import { formatDuration } from "../../formats.ts";
import { strings } from "../../strings.ts";
import { userName } from "../users/user-name.ts";
import type { ListedCallFragment } from "./calls.generated.ts";
import { callsStrings } from "./strings.ts";

const texts = callsStrings;

/** A user as calls select them. */
export type CallPerson = ListedCallFragment["participants"][number]["user"];

/** Who called whom. */
export function callTitle(participants: ListedCallFragment["participants"]): string {
  const caller = participants.find((each) => each.caller);
  const called = participants.filter((each) => !each.caller).map(({ user }) => userName(user));
  return texts.to(caller ? userName(caller.user) : texts.nobody, called.join(", ") || texts.nobody);
}

/** What kind of call it is. */
export function callKind(type: ListedCallFragment["callType"]): string {
  return type === null ? texts.kindUnknown : texts.kinds[type];
}

const ENDED_COLORS = {
  DECLINED: "orange",
  BUSY: "orange",
  NOT_SUPPORTED: "red",
  MISSED: "red",
  CANCELLED: "orange",
  HUNG_UP_BY_CALLER: "gray",
  HUNG_UP_BY_CALLEE: "gray",
  HUNG_UP: "gray",
  FAILED: "red",
  LOST: "red",
  ENDED_BY_MEMBER: "gray",
} as const;

/** The state of a live call, or how it ended. */
export function CallBadge({ state, endReason }: Pick<ListedCallFragment, "state" | "endReason">) {
  const [color, text] = endReason
    ? [ENDED_COLORS[endReason], texts.ended[endReason]]
    : [
        state === "RINGING" ? "blue" : "green",
        texts.live[state === "RINGING" ? state : "ACCEPTED"],
      ];
  return (
    <Badge variant="light" color={color} tt="none">
      {text}
    </Badge>
  );
}

/** How long a call lasted from its answer, counting while it is live; nothing if nobody answered. */
export function CallLength({
  acceptedAt,
  endedAt,
}: Pick<ListedCallFragment, "acceptedAt" | "endedAt">) {
  const isLive = acceptedAt !== null && endedAt === null;
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isLive) return;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isLive]);
  if (acceptedAt === null) return strings.common.nothing;
  const end = endedAt === null ? now : Date.parse(endedAt);
  return <span className="figure">{formatDuration((end - Date.parse(acceptedAt)) / 1_000)}</span>;
}
