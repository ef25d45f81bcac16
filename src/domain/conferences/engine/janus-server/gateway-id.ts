import { newId } from "../../../../core/random";

/** Id of the gateway's own participant of each room; no feed has such an id. */
export const GATEWAY_ID = "gateway";

const READER = `${GATEWAY_ID}-`;

/** An id to join a room with for a moment, to read its record. */
export const newReaderId = (): string => `${READER}${newId()}`;

/** Whether an id is of a gateway node's participant. */
export const isGatewayId = (id: string): boolean => id === GATEWAY_ID || id.startsWith(READER);
