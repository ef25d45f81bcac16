import { createSocket, type Socket } from "node:dgram";

/** A UDP port that is free at this moment. */
export async function freeUdpPort(): Promise<number> {
  const [port] = await freeUdpPorts(1);
  return port as number;
}

/** Different UDP ports that are free at this moment. */
export async function freeUdpPorts(count: number): Promise<number[]> {
  const sockets = await Promise.all(Array.from({ length: count }, bind));
  const ports = sockets.map((socket) => socket.address().port);
  await Promise.all(
    sockets.map((socket) => new Promise<void>((resolve) => socket.close(() => resolve()))),
  );
  return ports;
}

function bind(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createSocket("udp4");
    socket.once("error", reject);
    socket.bind(0, "127.0.0.1", () => resolve(socket));
  });
}
