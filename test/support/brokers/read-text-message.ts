import { inflateSync } from 'node:zlib';
import { TYPE } from '../../../dataplane/audit/openwire/commands.ts';
import { FrameReader } from '../../../dataplane/audit/openwire/frame-reader.ts';
import { readPrimitives } from '../../../dataplane/audit/openwire/primitive-map.ts';

/** A message as a JMS consumer reads it. */
export interface ReadMessage {
  readonly JMSMessageID: string;
  readonly JMSDestination: string;
  readonly JMSDeliveryMode: 'PERSISTENT' | 'NON_PERSISTENT';
  readonly JMSPriority: number;
  readonly JMSExpiration: number;
  readonly JMSTimestamp: number;
  readonly JMSType: string | null;
  readonly JMSCorrelationID: string | null;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly isCompressed: boolean;
}

/** Reads the frame of a text message, field by field. */
export function readTextMessage(frame: Buffer): ReadMessage {
  const reader = new FrameReader(frame);
  if (reader.byte() !== TYPE.textMessage) throw new Error('not a text message');
  reader.int(); // command
  reader.flag(); // answer wanted
  producerId(reader);
  const destination = placeIn(reader);
  absent(reader, 'transaction');
  absent(reader, 'original destination');
  const id = messageId(reader);
  absent(reader, 'original transaction');
  reader.text(); // group
  reader.int();
  const correlation = reader.text();
  const isPersistent = reader.flag();
  const expiration = Number(reader.long());
  const priority = reader.byte();
  absent(reader, 'reply to');
  const timestamp = Number(reader.long());
  const type = reader.text();
  const content = reader.block()!;
  const properties = reader.block();
  absent(reader, 'data structure');
  absent(reader, 'target consumer');
  const isCompressed = reader.flag();
  const body = isCompressed ? inflateSync(content) : content;
  return {
    JMSMessageID: id,
    JMSDestination: destination,
    JMSDeliveryMode: isPersistent ? 'PERSISTENT' : 'NON_PERSISTENT',
    JMSPriority: priority,
    JMSExpiration: expiration,
    JMSTimestamp: timestamp,
    JMSType: type,
    JMSCorrelationID: correlation,
    properties: properties === null ? {} : Object.fromEntries(readPrimitives(new FrameReader(properties))),
    text: fromModified(body.subarray(4, 4 + body.readInt32BE(0))),
    isCompressed,
  };
}

function producerId(reader: FrameReader): string {
  if (!reader.flag() || reader.byte() !== TYPE.producerId) throw new Error('no producer');
  const connection = reader.text();
  const producer = reader.long();
  return `${connection}:${reader.long()}:${producer}`;
}

function placeIn(reader: FrameReader): string {
  if (!reader.flag()) throw new Error('no destination');
  const kind = reader.byte() === TYPE.topic ? 'topic' : 'queue';
  return `${kind}://${reader.text()}`;
}

function messageId(reader: FrameReader): string {
  if (!reader.flag() || reader.byte() !== TYPE.messageId) throw new Error('no message id');
  const view = reader.text();
  const producer = producerId(reader);
  const sequence = reader.long();
  reader.long();
  return view ?? `${producer}:${sequence}`;
}

function absent(reader: FrameReader, what: string): void {
  if (reader.flag()) throw new Error(`${what} must be absent`);
}

/** Java writes each half of a surrogate pair by itself. */
function fromModified(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at]!;
    if (first < 0x80) {
      text += String.fromCharCode(first);
      at += 1;
    } else if (first < 0xe0) {
      text += String.fromCharCode(((first & 0x1f) << 6) | (bytes[at + 1]! & 0x3f));
      at += 2;
    } else {
      text += String.fromCharCode(((first & 0xf) << 12) | ((bytes[at + 1]! & 0x3f) << 6) | (bytes[at + 2]! & 0x3f));
      at += 3;
    }
  }
  return text;
}
