import { auth, connectRaw, OPEN, signInRaw } from "./chat";
import type { RawClient } from "./raw-client";

/** Namespace of stream management. */
export const SM = "urn:xmpp:sm:3";
/** Enables stream management. */
export const ENABLE = `<enable xmlns="${SM}" resume="true"/>`;
/** Requests an acknowledgement. */
export const ACK_REQUEST = `<r xmlns="${SM}"/>`;
/** Acknowledges received stanzas. */
export const ack = (h: number | string) => `<a xmlns="${SM}" h="${h}"/>`;
/** Requests the resumption of an earlier stream. */
export const resume = (previd: string, h: number | string) =>
  `<resume xmlns="${SM}" previd="${previd}" h="${h}"/>`;

/** A raw client with stream management. */
export interface StreamManagementClient extends RawClient {
  /** The id for a resumption. */
  previd: string;
}

/** The next frame that is not a request for an acknowledgement. */
export async function nextFrame(client: RawClient): Promise<string> {
  for (;;) {
    const frame = await client.next();
    if (frame !== ACK_REQUEST) return frame;
  }
}

/** The ids of the next `count` stanzas. */
export async function nextIds(client: RawClient, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    ids.push(/ id="([^"]*)"/.exec(await nextFrame(client))?.[1] ?? "");
  }
  return ids;
}

/** Connects and authenticates. Returns the client with the stream features, its last consumed frame. */
export async function authenticateRaw(
  url: string,
  name: string,
  secret = "password",
): Promise<RawClient & { features: string }> {
  const client = await connectRaw(url);
  for (const frame of [OPEN, auth(name, secret), OPEN]) client.send(frame);
  for (let count = 0; count < 4; count += 1) await client.next();
  return { ...client, features: await client.next() };
}

/** Connects, authenticates, binds and enables stream management. */
export async function managedStream(
  url: string,
  name: string,
  resource: string,
  secret?: string,
): Promise<StreamManagementClient> {
  const client = await signInRaw(url, name, resource, secret);
  client.send(ENABLE);
  const enabled = await nextFrame(client);
  const previd = /^<enabled [^>]* id="([^"]+)"/.exec(enabled)?.[1];
  if (previd === undefined) throw new Error(enabled);
  return { ...client, previd };
}

/** Authenticates on a new connection and requests the resumption of a stream. Returns also the response. */
export async function resumeStream(
  url: string,
  name: string,
  previd: string,
  h: number,
  secret?: string,
): Promise<RawClient & { answer: string }> {
  const client = await authenticateRaw(url, name, secret);
  client.send(resume(previd, h));
  return { ...client, answer: await client.next() };
}
