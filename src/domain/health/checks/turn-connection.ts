import { createSocket } from "node:dgram";
import { connect as connectTcp, isIPv6, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { messageLength, readResponse, TURN_RESPONSE_MAX, type TurnResponse } from "./turn-message";

const TIMEOUT_MS = 3_000;
/** Interval of the repeats of a datagram, which networks may lose. */
const REPEAT_MS = 700;

/** A STUN or TURN server as its URL names it (RFC 7064, RFC 7065). */
export interface IceAddress {
  host: string;
  port: number;
  transport: "udp" | "tcp" | "tls";
  /** Whether it is a TURN server. */
  turn: boolean;
}

/** Sends a request and receives its response. */
export type Exchange = (request: Buffer) => Promise<TurnResponse>;

/** Opens a connection to a server for one check. */
export interface IceConnection {
  exchange: Exchange;
  close(): void;
}

/** Opens a connection to a server. It fails at the first exchange if the server cannot be reached. */
export function openIceConnection(address: IceAddress): IceConnection {
  return address.transport === "udp" ? openDatagrams(address) : openStream(address);
}

function openDatagrams({ host, port }: IceAddress): IceConnection {
  const socket = createSocket(isIPv6(host) ? "udp6" : "udp4");
  const connected = new Promise<void>((resolve, reject) => {
    // Without a callback, which Node would call also when the look-up or the connection fails, in place of the event.
    socket.once("connect", resolve);
    // It stays as long as the socket is open, since an error without a listener ends the process.
    socket.on("error", reject);
  });
  connected.catch(() => undefined);
  // A connected socket learns that nothing listens at the port.
  socket.connect(port, host);
  return {
    async exchange(request) {
      await connected;
      return answerTo(request, (receive, fail) => {
        const send = () => {
          try {
            socket.send(request, (error) => {
              if (error) fail(error);
            });
          } catch (error) {
            // In the interval nobody else would catch it.
            fail(error);
          }
        };
        socket.on("message", receive);
        socket.on("error", fail);
        const repeat = setInterval(send, REPEAT_MS);
        send();
        return () => {
          clearInterval(repeat);
          socket.off("message", receive);
          socket.off("error", fail);
        };
      });
    },
    close: () => socket.close(),
  };
}

function openStream({ host, port, transport }: IceAddress): IceConnection {
  const servername = /[a-z]/i.test(host) && !isIPv6(host) ? host : undefined;
  const socket: Socket =
    transport === "tls" ? connectTls({ host, port, servername }) : connectTcp({ host, port });
  let failed: Error | null = null;
  socket.on("error", (error) => {
    failed ??= error;
  });
  return {
    exchange: (request) =>
      answerTo(request, (receive, fail) => {
        let data: Buffer = Buffer.alloc(0);
        const onData = (part: Buffer) => {
          data = Buffer.concat([data, part]);
          const length = messageLength(data);
          if (length !== null && data.length >= length) receive(data.subarray(0, length));
          else if (data.length > TURN_RESPONSE_MAX) fail(new Error("its answer is too long"));
        };
        const onClose = () => fail(failed ?? new Error("it closes the connection"));
        if (socket.destroyed) onClose();
        else {
          socket.on("data", onData);
          socket.on("close", onClose);
          socket.write(request);
        }
        return () => {
          socket.off("data", onData);
          socket.off("close", onClose);
        };
      }),
    close: () => socket.destroy(),
  };
}

/** Waits for the response to a request; other data is ignored. */
function answerTo(
  request: Buffer,
  send: (receive: (data: Buffer) => void, fail: (error: unknown) => void) => () => void,
): Promise<TurnResponse> {
  let release: () => void = () => undefined;
  let timer: NodeJS.Timeout | undefined;
  const answer = new Promise<TurnResponse>((resolve, reject) => {
    timer = setTimeout(() => reject(new Error("it does not answer")), TIMEOUT_MS);
    release = send((data) => {
      const response = readResponse(request, data);
      if (response) resolve(response);
    }, reject);
  });
  return answer.finally(() => {
    clearTimeout(timer);
    release();
  });
}
