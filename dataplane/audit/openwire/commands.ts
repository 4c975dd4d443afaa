import { deflateSync } from 'node:zlib';
import { FrameWriter } from './frame-writer.ts';
import { modifiedUtf8 } from './modified-utf8.ts';
import { type Primitive, writePrimitives } from './primitive-map.ts';

/** Types of commands and objects. */
export const TYPE = {
  wireFormat: 1,
  connection: 3,
  session: 4,
  producer: 6,
  keepAlive: 10,
  shutdown: 11,
  remove: 12,
  connectionError: 16,
  textMessage: 28,
  response: 30,
  exceptionResponse: 31,
  queue: 100,
  topic: 101,
  messageId: 110,
  connectionId: 120,
  sessionId: 121,
  producerId: 123,
} as const;

export const MAGIC = 'ActiveMQ';
/** The newest version of OpenWire: brokers answer with theirs, and the smaller one counts. */
export const VERSION = 12;
const USUAL_PRIORITY = 4;

/** Where messages go. */
export interface Destination {
  readonly kind: 'topic' | 'queue';
  readonly name: string;
}

/** A producer: a part of a session of a connection. */
export interface ProducerPath {
  readonly connection: string;
  readonly session: number;
  readonly producer: number;
}

export interface Credentials {
  readonly userName: string | null;
  readonly password: string | null;
}

/** Identity of a message, also when it is sent again over another connection. */
export interface MessageId {
  /** The producer that sent it first. */
  readonly producer: ProducerPath;
  /** Number of the message among those of that producer. */
  readonly sequence: number;
}

export interface TextMessage {
  /** The producer that sends it now. */
  readonly producer: ProducerPath;
  readonly destination: Destination;
  readonly id: MessageId;
  readonly text: string;
  readonly isPersistent: boolean;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  readonly priority?: number;
  /** Milliseconds since 1970; 0 for never. */
  readonly expiration?: number;
  readonly type?: string | null;
  readonly correlationId?: string | null;
  readonly properties?: Readonly<Record<string, Primitive>>;
  /** Whether the body is compressed. */
  readonly isCompressed?: boolean;
}

type WriteObject = (writer: FrameWriter) => void;

/** The greeting of both sides, which says what each can do. */
export function wireFormat(properties: Readonly<Record<string, Primitive>>): Buffer {
  return new FrameWriter(TYPE.wireFormat)
    .raw(Buffer.from(MAGIC, 'latin1'))
    .int(VERSION)
    .block(writePrimitives(properties))
    .frame();
}

export function connectionInfo(
  command: number,
  connection: string,
  clientId: string,
  { userName, password }: Credentials,
): Buffer {
  const isManageable = true;
  const isClientMaster = true;
  return asked(TYPE.connection, command)
    .object(connectionId(connection))
    .text(clientId)
    .text(password)
    .text(userName)
    .flag(false) // broker path
    .flag(false) // broker master connector
    .flag(isManageable)
    .flag(isClientMaster)
    .flag(false) // fault tolerant
    .flag(false) // reconnects by failover
    .text(null) // IP address of the client
    .frame();
}

export function sessionInfo(command: number, { connection, session }: ProducerPath): Buffer {
  const id: WriteObject = (writer) => writer.byte(TYPE.sessionId).text(connection).long(session);
  return asked(TYPE.session, command).object(id).frame();
}

export function producerInfo(command: number, producer: ProducerPath, destination: Destination): Buffer {
  return asked(TYPE.producer, command)
    .object(producerId(producer))
    .object(place(destination))
    .flag(false) // broker path
    .flag(true) // asynchronous dispatch
    .int(0) // window: the broker blocks the connection when it is full
    .frame();
}

export function removeConnection(command: number, connection: string): Buffer {
  const nothingDelivered = -2;
  return asked(TYPE.remove, command).object(connectionId(connection)).long(nothingDelivered).frame();
}

export function shutdownInfo(command: number): Buffer {
  return told(TYPE.shutdown, command).frame();
}

export function keepAlive(command: number): Buffer {
  return told(TYPE.keepAlive, command).frame();
}

export function response(command: number, correlation: number): Buffer {
  return told(TYPE.response, command).int(correlation).frame();
}

/** @param isAnswered whether the broker has to answer once it has taken the message */
export function textMessage(command: number, isAnswered: boolean, message: TextMessage): Buffer {
  const { destination, id, isPersistent, timestamp, properties, isCompressed = false } = message;
  const messageId: WriteObject = (writer) =>
    writer.byte(TYPE.messageId).text(null).object(producerId(id.producer)).long(id.sequence).long(0);
  const body = bodyOf(message.text);
  const writer = isAnswered ? asked(TYPE.textMessage, command) : told(TYPE.textMessage, command);
  return writer
    .object(producerId(message.producer))
    .object(place(destination))
    .object(null) // transaction
    .object(null) // original destination
    .object(messageId)
    .object(null) // original transaction
    .text(null) // group
    .int(0) // number in the group
    .text(message.correlationId ?? null)
    .flag(isPersistent)
    .long(message.expiration ?? 0)
    .byte(message.priority ?? USUAL_PRIORITY)
    .object(null) // reply to
    .long(timestamp)
    .text(message.type ?? null)
    .block(isCompressed ? deflateSync(body) : body)
    .block(properties === undefined ? null : writePrimitives(properties))
    .object(null) // data structure
    .object(null) // target consumer
    .flag(isCompressed)
    .int(0) // redeliveries
    .flag(false) // broker path
    .long(0) // arrival
    .text(null) // user id
    .flag(false) // received by a bridge
    .flag(false) // droppable
    .flag(false) // cluster
    .long(0) // times at the broker
    .long(0)
    .flag(false) // first of its group for a consumer
    .frame();
}

/** A text with its length in front. */
function bodyOf(text: string): Buffer {
  const bytes = modifiedUtf8(text);
  const length = Buffer.allocUnsafe(4);
  length.writeInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** A command that the broker answers. */
function asked(type: number, command: number): FrameWriter {
  return new FrameWriter(type).int(command).flag(true);
}

function told(type: number, command: number): FrameWriter {
  return new FrameWriter(type).int(command).flag(false);
}

function connectionId(connection: string): WriteObject {
  return (writer) => writer.byte(TYPE.connectionId).text(connection);
}

function producerId({ connection, session, producer }: ProducerPath): WriteObject {
  return (writer) => writer.byte(TYPE.producerId).text(connection).long(producer).long(session);
}

function place({ kind, name }: Destination): WriteObject {
  return (writer) => writer.byte(TYPE[kind]).text(name);
}
