import { CHANNEL_TABLE, type PushChannel } from "../channels/channel";
import type { PushDeps } from "../deps/push-deps";
import { countRecipients } from "../devices/recipient-count";
import { COUNT_MAX } from "../devices/recipient-queries";
import { countRecipientTotals, type RecipientTotals } from "../devices/recipient-total-queries";
import { displayOf, type PushDisplay } from "../payload/display";
import { previewPush } from "../payload/preview-push";
import { sizeProblem } from "../payload/size";
import { droppedKeys, translate } from "../payload/translate";
import { type EventInput, type EventRequest, findProblems, validateEvent } from "./event-request";
import { NO_RECIPIENTS } from "./events";
import type { Sender } from "./push-event";

/** Result of a dry run for one channel. */
export interface ChannelDryRun {
  channel: PushChannel;
  /** Number of recipient devices and users, counted up to 10,000. */
  deviceCount: number;
  userCount: number;
  /** Whether there are more recipients than counted. */
  more: boolean;
  /** A sample of up to 100 recipients. */
  userIds: number[];
  /** Request to the provider, without device-specific parts. */
  headers: Record<string, string>;
  payload: object;
  /** What a device shows of it. */
  display: PushDisplay;
  bytes: number;
  maxBytes: number;
  /** Keys of the message that the channel drops, with reasons. */
  droppedKeys: string[];
  /** Whether anything would be sent on the channel. */
  sendable: boolean;
  /** Reasons why the push, or part of it, would not arrive; empty without problems. */
  problems: string[];
}

/** Result of a dry run. */
export interface DryRun {
  /** Reasons why the request would be refused, as `field: reason`; empty if it would be accepted. */
  problems: string[];
  /** Null if the request would be refused for another reason than its recipients. */
  recipients: RecipientTotals | null;
  channels: ChannelDryRun[];
}

/** Previews the recipients and payloads of a push without sending or writing anything. */
export async function dryRunEvent(
  push: PushDeps,
  sender: Sender,
  input: EventInput,
): Promise<DryRun> {
  const now = push.clock.now();
  const problems = findProblems(input, now);
  if (problems.length > 0) return { problems, recipients: null, channels: [] };
  const request = validateEvent(input, now);
  const immediate = request.eventType === "one_shot";
  const channels: ChannelDryRun[] = [];
  for (const channel of request.channels) {
    const result = await dryRunChannel(push, sender, request, channel);
    // An immediate universal push only creates events for channels with recipients.
    if (result.deviceCount > 0 || request.universal === null || !immediate) channels.push(result);
  }
  const { environment, selector, universal } = request;
  const filter = { applicationId: sender.applicationId, environment, selector, universal };
  const recipients = await countRecipientTotals(push.store.query, filter, request.channels);
  const empty = channels.every(({ deviceCount }) => deviceCount === 0);
  return { problems: empty && immediate ? [NO_RECIPIENTS] : [], recipients, channels };
}

async function dryRunChannel(
  push: PushDeps,
  { applicationId }: Sender,
  { content, environment, selector, universal }: EventRequest,
  channel: PushChannel,
): Promise<ChannelDryRun> {
  const { store, clock } = push;
  const filter = { applicationId, environment, selector, universal };
  const count = await countRecipients(store, filter, channel);
  const payload = translate(content, channel, clock.now());
  const dropped = droppedKeys(content, channel);
  const obstacles: string[] = [];
  const size = sizeProblem(payload);
  if (size !== null) obstacles.push(size);
  if (count.devices === 0) obstacles.push("No recipient has a device on this channel");
  if ((await push.provider(applicationId, environment, CHANNEL_TABLE[channel].service)) === null) {
    obstacles.push(`No ${channel} credentials are set for ${environment}`);
  }
  const { headers, payload: body, bytes, maxBytes } = previewPush(payload);
  return {
    channel,
    deviceCount: Math.min(count.devices, COUNT_MAX),
    userCount: count.users,
    more: count.devices > COUNT_MAX,
    userIds: count.sampleUserIds,
    headers,
    payload: body,
    display: displayOf(payload),
    bytes,
    maxBytes,
    droppedKeys: dropped,
    sendable: obstacles.length === 0,
    problems: [...dropped, ...obstacles],
  };
}
