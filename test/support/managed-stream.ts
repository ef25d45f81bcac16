import { auth, connectRaw, OPEN, type RawClient, signInRaw } from "./chat";

/** Namespace of stream management. */
export const SM = "urn:xmpp:sm:3";
/** Asks to turn stream management on. */
export const ENABLE = `<enable xmlns="${SM}" resume="true"/>`;
/** Asks how much the server has handled. */
export const R = `<r xmlns="${SM}"/>`;
/** Says how much the client has received. */
export const a = (h: number | string) => `<a xmlns="${SM}" h="${h}"/>`;
/** Asks for an earlier stream. */
export const resume = (previd: string, h: number | string) =>
  `<resume xmlns="${SM}" previd="${previd}" h="${h}"/>`;

/** A stream with stream management on, driven by hand. */
export interface ManagedStream extends RawClient {
  /** What to resume it by. */
  previd: string;
}

/** The next frame that is no question of the server. */
export async function nextFrame(client: RawClient): Promise<string> {
  for (;;) {
    const frame = await client.next();
    if (frame !== R) return frame;
  }
}

/** The ids of so many stanzas that come next. */
export async function nextIds(client: RawClient, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    ids.push(/ id="([^"]*)"/.exec(await nextFrame(client))?.[1] ?? "");
  }
  return ids;
}

/** Connects and signs in; the last frame that was taken are the features. */
export async function signedIn(
  url: string,
  name: string,
  secret = "password",
): Promise<RawClient & { features: string }> {
  const client = await connectRaw(url);
  for (const frame of [OPEN, auth(name, secret), OPEN]) client.send(frame);
  for (let count = 0; count < 4; count += 1) await client.next();
  return { ...client, features: await client.next() };
}

/** Connects, signs in, binds and turns stream management on. */
export async function managedStream(
  url: string,
  name: string,
  resource: string,
  secret?: string,
): Promise<ManagedStream> {
  const client = await signInRaw(url, name, resource, secret);
  client.send(ENABLE);
  const enabled = await nextFrame(client);
  const previd = /^<enabled [^>]* id="([^"]+)"/.exec(enabled)?.[1];
  if (previd === undefined) throw new Error(enabled);
  return { ...client, previd };
}

/** Signs in on a new connection and asks for an earlier stream; the answer is the last frame taken. */
export async function resumeStream(
  url: string,
  name: string,
  previd: string,
  h: number,
  secret?: string,
): Promise<RawClient & { answer: string }> {
  const client = await signedIn(url, name, secret);
  client.send(resume(previd, h));
  return { ...client, answer: await client.next() };
}
