import { Fault } from "../../../core/errors";
import { parseId } from "../../../core/text/ids";
import { isGiven, type Page, type PageRequest, pageOf, pageSize } from "../../paging/page";
import { requireUser } from "../../users/users";
import type { PushDeps } from "../deps/push-deps";
import { type DeliveryPosition, listDeliveriesOfUser } from "./delivery-list-queries";
import type { PushDelivery } from "./delivery-queries";

const FIRST: DeliveryPosition = { eventId: 0, occurrence: 0, subscriptionId: 0 };
const LAST: DeliveryPosition = {
  eventId: Number.MAX_SAFE_INTEGER,
  occurrence: 2_147_483_647,
  subscriptionId: Number.MAX_SAFE_INTEGER,
};

/**
 * Lists a page of the deliveries to the present devices of an application's user, those of the newest event
 * first.
 * @throws Fault NOT_FOUND; INVALID on `first`, `last`, `after` or `before`
 */
export async function listUserDeliveries(
  { store }: Pick<PushDeps, "store">,
  applicationId: number,
  userId: string,
  page: PageRequest,
): Promise<Page<PushDelivery>> {
  const { id } = await requireUser({ store }, applicationId, userId);
  const { size, backward } = pageSize(page);
  const after = positionOf("after", page.after);
  const before = positionOf("before", page.before);
  const found = await listDeliveriesOfUser(store.query, id, {
    above: before ?? FIRST,
    below: after ?? LAST,
    descending: !backward,
    limit: size + 1,
  });
  return pageOf(found, { size, backward, after, before });
}

/** The cursor of a delivery in the list of {@link listUserDeliveries}. */
export function userDeliveryCursor({ eventId, occurrence, subscriptionId }: PushDelivery): string {
  return `${eventId}.${occurrence}.${subscriptionId ?? 0}`;
}

function positionOf(
  argument: "after" | "before",
  cursor: string | null | undefined,
): DeliveryPosition | undefined {
  if (!isGiven(cursor)) return undefined;
  const [event = "", number = "", subscription = "", ...rest] = cursor.split(".", 4);
  const eventId = parseId(event);
  const subscriptionId = parseId(subscription);
  const occurrence = /^\d{1,10}$/.test(number) ? Number(number) : -1;
  const isValid = rest.length === 0 && occurrence >= 0 && occurrence <= LAST.occurrence;
  if (!isValid || eventId === null || subscriptionId === null) {
    throw Fault.field(argument, "is not a cursor of this list");
  }
  return { eventId, occurrence, subscriptionId };
}
