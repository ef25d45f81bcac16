import { createHash, createHmac } from "node:crypto";
import { newKey } from "../../../core/random";

/** The few messages of STUN and TURN that a check needs (RFC 8489, RFC 8656). */

const COOKIE = 0x2112a442;
const HEADER_BYTES = 20;
/** Maximum length of a response that is read. */
export const TURN_RESPONSE_MAX = 2_048;

/** Methods with the class of a request. */
export const BINDING = 0x0001;
export const REFRESH = 0x0004;
const SUCCESS = 0x0100;
const ERROR = 0x0110;

const ATTRIBUTE = {
  username: 0x0006,
  messageIntegrity: 0x0008,
  errorCode: 0x0009,
  lifetime: 0x000d,
  realm: 0x0014,
  nonce: 0x0015,
} as const;

/** Credentials of the long-term mechanism (RFC 8489 section 9.2), with the realm and the nonce of the server. */
export interface TurnCredentials {
  username: string;
  password: string;
  realm: Buffer;
  nonce: Buffer;
}

/** A response of the server. */
export interface TurnResponse {
  /** 0 for a success. */
  errorCode: number;
  realm: Buffer | null;
  nonce: Buffer | null;
}

/** Makes a Binding request. */
export function bindingRequest(): Buffer {
  return message(BINDING, []);
}

/** Makes a request to end an allocation. The check has none, so that it changes nothing at the server. */
export function refreshRequest(credentials: TurnCredentials | null): Buffer {
  const lifetime = attribute(ATTRIBUTE.lifetime, Buffer.alloc(4));
  if (credentials === null) return message(REFRESH, [lifetime]);
  const { username, password, realm, nonce } = credentials;
  const request = message(REFRESH, [
    lifetime,
    attribute(ATTRIBUTE.username, Buffer.from(username)),
    attribute(ATTRIBUTE.realm, realm),
    attribute(ATTRIBUTE.nonce, nonce),
  ]);
  // The length counts the attribute that is still to come.
  request.writeUInt16BE(request.length - HEADER_BYTES + 24, 2);
  const key = createHash("md5").update(`${username}:${realm}:${password}`).digest();
  const integrity = createHmac("sha1", key).update(request).digest();
  return Buffer.concat([request, attribute(ATTRIBUTE.messageIntegrity, integrity)]);
}

/** The length of the message at the start of a stream; null while the header is incomplete. */
export function messageLength(data: Buffer): number | null {
  return data.length < HEADER_BYTES ? null : HEADER_BYTES + data.readUInt16BE(2);
}

/** Reads the response to a request; null if the data is something else. */
export function readResponse(request: Buffer, data: Buffer): TurnResponse | null {
  if (data.length < HEADER_BYTES || messageLength(data) !== data.length) return null;
  // The magic cookie and the transaction.
  if (!data.subarray(4, HEADER_BYTES).equals(request.subarray(4, HEADER_BYTES))) return null;
  const method = request.readUInt16BE(0);
  const type = data.readUInt16BE(0);
  const found = readAttributes(data);
  const code = found.get(ATTRIBUTE.errorCode);
  const realm = found.get(ATTRIBUTE.realm) ?? null;
  const nonce = found.get(ATTRIBUTE.nonce) ?? null;
  if (type === (method | SUCCESS)) return { errorCode: 0, realm, nonce };
  if (type !== (method | ERROR) || code === undefined || code.length < 4) return null;
  return { errorCode: (code.readUInt8(2) & 0b111) * 100 + code.readUInt8(3), realm, nonce };
}

function readAttributes(data: Buffer): Map<number, Buffer> {
  const found = new Map<number, Buffer>();
  let at = HEADER_BYTES;
  while (at + 4 <= data.length) {
    const length = data.readUInt16BE(at + 2);
    if (at + 4 + length > data.length) break;
    found.set(data.readUInt16BE(at), data.subarray(at + 4, at + 4 + length));
    at += 4 + length + padding(length);
  }
  return found;
}

function message(method: number, attributes: Buffer[]): Buffer {
  const body = Buffer.concat(attributes);
  const header = Buffer.alloc(8);
  header.writeUInt16BE(method, 0);
  header.writeUInt16BE(body.length, 2);
  header.writeUInt32BE(COOKIE, 4);
  return Buffer.concat([header, newKey().subarray(0, 12), body]);
}

function attribute(type: number, value: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(value.length, 2);
  return Buffer.concat([head, value, Buffer.alloc(padding(value.length))]);
}

const padding = (length: number) => (4 - (length % 4)) % 4;
