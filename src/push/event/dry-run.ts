import { type PushChannel, SERVICE_OF } from "../channel";
import { leftOut } from "../payload/left-out";
import { showPush } from "../payload/show-push";
import { sizeProblem } from "../payload/size";
import { translate } from "../payload/translate";
import type { Push } from "../push";
import { checkEvent, type EventInput, type EventRequest, findProblems } from "./event-request";
import { NOBODY, type Sender } from "./events";
import { COUNT_MAX, measureReach } from "./reach";

/** What a push would be on one channel. */
export interface ChannelTrial {
  channel: PushChannel;
  /** Devices and users that it would go to; at most 10,000 are counted. */
  deviceCount: number;
  userCount: number;
  /** Whether there are more than were counted. */
  more: boolean;
  /** Some of the users, at most 100. */
  userIds: number[];
  /** What the provider would get, but for what differs from device to device. */
  headers: Record<string, string>;
  payload: object;
  bytes: number;
  maxBytes: number;
  /** Why nothing, or less, would arrive; none when all is well. */
  problems: string[];
}

/** What a push would be. */
export interface Trial {
  /** Why the request would be refused, as `field: reason`; none when it would be taken. */
  problems: string[];
  channels: ChannelTrial[];
}

/** Tries a push out: reads whom it would reach and with what, and sends and writes nothing. */
export async function tryEvent(push: Push, sender: Sender, input: EventInput): Promise<Trial> {
  const now = push.identity.clock.now();
  const problems = findProblems(input, now);
  if (problems.length > 0) return { problems, channels: [] };
  const request = checkEvent(input, now);
  const atOnce = request.eventType === "one_shot";
  const channels: ChannelTrial[] = [];
  for (const channel of request.channels) {
    const trial = await tryChannel(push, sender, request, channel);
    // Of a universal push that goes out at once only what it would be written for.
    if (trial.deviceCount > 0 || request.universal === null || !atOnce) channels.push(trial);
  }
  const nobody = channels.every(({ deviceCount }) => deviceCount === 0);
  return { problems: nobody && atOnce ? [NOBODY] : [], channels };
}

async function tryChannel(
  push: Push,
  { applicationId }: Sender,
  { content, environment, selector, universal }: EventRequest,
  channel: PushChannel,
): Promise<ChannelTrial> {
  const { store, clock } = push.identity;
  const audience = { applicationId, environment, selector, universal };
  const reach = await measureReach(store, audience, channel);
  const payload = translate(content, channel, clock.now());
  const problems = [...leftOut(content, channel)];
  const size = sizeProblem(payload);
  if (size !== null) problems.push(size);
  if (reach.devices === 0) problems.push("Nobody has a device on this channel");
  if ((await push.provider(applicationId, environment, SERVICE_OF[channel])) === null) {
    problems.push(`No ${channel} credentials are set for ${environment}`);
  }
  const { headers, payload: body, bytes, maxBytes } = showPush(payload);
  return {
    channel,
    deviceCount: Math.min(reach.devices, COUNT_MAX),
    userCount: reach.users,
    more: reach.devices > COUNT_MAX,
    userIds: reach.named,
    ...{ headers, payload: body, bytes, maxBytes, problems },
  };
}
