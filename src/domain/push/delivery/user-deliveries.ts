import { ID, listOrder, type OrderColumn } from "../../paging/list-order";
import { type Page, type PageRequest, readPage } from "../../paging/page";
import { requireUser } from "../../users/users";
import type { PushDeps } from "../deps/push-deps";
import { listDeliveriesOfUser } from "./delivery-list-queries";
import type { PushDelivery } from "./delivery-queries";

/** The number of a run of a repeated event, from 0. */
const OCCURRENCE: OrderColumn<number> = {
  ...ID,
  highest: 2_147_483_647,
  read(text) {
    const occurrence = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    return occurrence <= OCCURRENCE.highest ? occurrence : null;
  },
};

/** The deliveries of a user, those of the newest event first. */
export const NEWEST_EVENT_FIRST = listOrder(
  [ID, OCCURRENCE, ID],
  "descending",
  ({ eventId, occurrence, subscriptionId }: PushDelivery) => [
    eventId,
    occurrence,
    subscriptionId ?? 0,
  ],
);

/**
 * Lists a page of the deliveries to the present devices of an application's user, in the order
 * {@link NEWEST_EVENT_FIRST}.
 * @throws Fault NOT_FOUND; INVALID as {@link readPage}
 */
export async function listUserDeliveries(
  { store }: Pick<PushDeps, "store">,
  applicationId: number,
  userId: string,
  page: PageRequest,
): Promise<Page<PushDelivery>> {
  const { id } = await requireUser({ store }, applicationId, userId);
  return readPage(page, NEWEST_EVENT_FIRST, (range) =>
    listDeliveriesOfUser(store.query, id, range),
  );
}
