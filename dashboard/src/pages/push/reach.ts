import type { SignalboxError } from "@signalbox/client";
import { useOperation } from "../../api/queries.ts";
import { formatNumber } from "../../formats.ts";
import {
  PushRecipientsDocument,
  type PushRecipientsInput,
  type PushRecipientsQuery,
} from "./compose.generated.ts";
import { pushStrings } from "./strings.ts";

const texts = pushStrings.new;

/** Whom a push would reach now. */
export interface Reach {
  state: "empty" | "counting" | "failed" | "nobody" | "known";
  /** Such as "3 devices of 2 users"; null while it is not known. */
  text: string | null;
  /** The same for each channel that has devices. */
  channels: readonly string[];
  error: SignalboxError | null;
  retry(): void;
}

/** Counts the recipients while they are chosen. @param recipients null while there are none */
export function useReach(applicationId: string, recipients: PushRecipientsInput | null): Reach {
  const query = useOperation(
    PushRecipientsDocument,
    { applicationId, recipients: recipients ?? { environment: "PRODUCTION" } },
    { enabled: recipients !== null },
  );
  const retry = () => void query.refetch();
  const nothing = { text: null, channels: [], error: null, retry };
  if (recipients === null) return { ...nothing, state: "empty" };
  if (query.error) return { ...nothing, state: "failed", error: query.error };
  if (!query.data) return { ...nothing, state: "counting" };
  const count = query.data.application.pushRecipientCount;
  return {
    ...nothing,
    state: count.deviceCount === 0 ? "nobody" : "known",
    text: wordsOf(count),
    channels: count.channels
      .filter(({ deviceCount }) => deviceCount > 0)
      .map(({ channel, deviceCount }) =>
        texts.byChannel(pushStrings.channels[channel], formatNumber(deviceCount)),
      ),
  };
}

function wordsOf({
  deviceCount,
  userCount,
  isExact,
}: PushRecipientsQuery["application"]["pushRecipientCount"]): string {
  const text = texts.reach(pushStrings.devices(deviceCount), texts.users(userCount));
  return isExact ? text : texts.atLeast(text);
}
