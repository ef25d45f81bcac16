import { Fault } from "../../../core/errors";
import { SDP_MAX } from "../engine/engine";

/** The inputs that are session descriptions. */
export type SdpInput = "offer" | "answer";

/**
 * Passes on a client's session description. What is wrong with it is reported on the input, which engines call `sdp`.
 * The size is checked before the engine parses.
 * @throws Fault INVALID, TOO_LARGE on the input
 */
export async function withSdp<T>(input: SdpInput, sdp: string, use: () => Promise<T>): Promise<T> {
  if (Buffer.byteLength(sdp) > SDP_MAX) {
    throw Fault.field(input, `is too long (maximum is ${SDP_MAX} bytes)`);
  }
  try {
    return await use();
  } catch (error) {
    throw error instanceof Fault ? onInput(error, input) : error;
  }
}

function onInput(fault: Fault, input: SdpInput): Fault {
  const { sdp, ...others } = fault.fields ?? {};
  if (!sdp) return fault;
  const message = fault.message.replace(/^sdp /, `${input} `);
  return new Fault(fault.code, message, { ...others, [input]: sdp }, fault.retryAfter);
}
