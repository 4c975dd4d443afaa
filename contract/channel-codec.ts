import { Buffer } from 'node:buffer';
import type { z } from 'zod';
import type { ControllerMessage, PlaneMessage } from './channel.ts';
import { controllerMessage, planeMessage } from './channel-schema.ts';
import { containersIn } from './document/json-containers.ts';

/** No message is longer, either way. A hello that lists 50,000 routes and an update with one huge route still fit. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** Objects and lists in a message of a data plane: reports of 50,000 routes have a third of them. */
export const MOST_CONTAINERS = 500_000;

/** How long one part of an update is to be, unless a single route is longer. */
export const PART_BYTES = 1024 * 1024;

/** A message that is no JSON or not one of those that `contract/channel.ts` lists. Its text quotes nothing of it. */
export class MalformedMessage extends Error {
  override readonly name = 'MalformedMessage';
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

const HEARTBEAT = { type: 'heartbeat' } as const;
/** A heartbeat as both sides send it: most messages of an idle channel. */
const HEARTBEAT_BYTES: Buffer = Buffer.from(JSON.stringify(HEARTBEAT));

export function encodeMessage(message: PlaneMessage | ControllerMessage): Buffer {
  return message.type === 'heartbeat' ? HEARTBEAT_BYTES : Buffer.from(JSON.stringify(message));
}

/**
 * Decodes a message of a data plane. Unknown fields are left out: a newer data plane may send more.
 * @throws MalformedMessage
 */
export function decodePlaneMessage(bytes: Uint8Array): PlaneMessage {
  if (HEARTBEAT_BYTES.equals(bytes)) return HEARTBEAT;
  // Sidecars are in the hands of tenants: 16 MiB of empty objects take 340 MB.
  const isLong = bytes.length > 2 * MOST_CONTAINERS;
  if (isLong && containersIn(bytes) > MOST_CONTAINERS) {
    throw new MalformedMessage('the message has too many objects and lists');
  }
  return decode(bytes, planeMessage);
}

/** Decodes a message of a controller. @throws MalformedMessage */
export function decodeControllerMessage(bytes: Uint8Array): ControllerMessage {
  return decode(bytes, controllerMessage);
}

/** A method of streams both ways for a gRPC library, which is to pass bytes on as they are. */
export interface BytesMethod {
  readonly path: string;
  readonly requestStream: true;
  readonly responseStream: true;
  readonly requestSerialize: (bytes: Buffer) => Buffer;
  readonly requestDeserialize: (bytes: Buffer) => Buffer;
  readonly responseSerialize: (bytes: Buffer) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => Buffer;
}

/**
 * Describes a method to a gRPC library. Messages are decoded outside of it, where what is wrong with one can be said; the
 * library would hide it.
 */
export function bytesMethod(path: string): BytesMethod {
  const asIs = (bytes: Buffer): Buffer => bytes;
  return {
    path,
    requestStream: true,
    responseStream: true,
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  };
}

function decode<Message>(bytes: Uint8Array, schema: z.ZodType<Message>): Message {
  if (bytes.length > MAX_MESSAGE_BYTES) throw new MalformedMessage('the message is too long');
  let value: unknown;
  try {
    value = JSON.parse(UTF_8.decode(bytes));
  } catch {
    throw new MalformedMessage('the message is not JSON');
  }
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const paths = read.error.issues.slice(0, 3).map(({ path }) => path.map(String).join('.') || 'message');
  throw new MalformedMessage(`the message is not as it should be: ${paths.join(', ')}`);
}
