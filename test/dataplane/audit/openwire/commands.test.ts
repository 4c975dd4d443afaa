import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  connectionInfo,
  type Destination,
  keepAlive,
  type ProducerPath,
  producerInfo,
  removeConnection,
  response,
  sessionInfo,
  shutdownInfo,
  textMessage,
  wireFormat,
} from '../../../../dataplane/audit/openwire/commands.ts';
import { FrameReader, MalformedFrame } from '../../../../dataplane/audit/openwire/frame-reader.ts';
import { readPrimitives, writePrimitives } from '../../../../dataplane/audit/openwire/primitive-map.ts';

interface Row {
  readonly command: string;
  readonly values: Readonly<Record<string, never>>;
  readonly loose: string;
}

const rows = readFileSync(new URL('../../../vectors/openwire-frames.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row);
const CONNECTION = 'ID:gw-1:1';
const PRODUCER: ProducerPath = { connection: CONNECTION, session: 1, producer: 1 };

function destinationIn(text: string): Destination {
  const [kind, name] = text.split('://') as ['topic' | 'queue', string];
  return { kind, name };
}

/** The frame of a row as we write it; null for what only brokers send. */
function ours({ command, values }: Row): Buffer | null {
  const { commandId, clientId, userName, password, destination, responseRequired, correlationId } = values ?? {};
  switch (command) {
    case 'ConnectionInfo':
      return connectionInfo(commandId!, CONNECTION, clientId!, { userName: userName!, password: password! });
    case 'SessionInfo':
      return sessionInfo(commandId!, PRODUCER);
    case 'ProducerInfo':
      return producerInfo(commandId!, PRODUCER, destinationIn(destination!));
    case 'KeepAliveInfo':
      return keepAlive(commandId!);
    case 'RemoveInfo':
      return removeConnection(commandId!, CONNECTION);
    case 'ShutdownInfo':
      return shutdownInfo(commandId!);
    case 'Response':
      return response(commandId!, correlationId!);
    case 'ActiveMQTextMessage':
      return textMessage(commandId!, responseRequired!, {
        producer: PRODUCER,
        destination: destinationIn(destination!),
        id: { producer: PRODUCER, sequence: values['producerSequenceId']! },
        text: values['text']!,
        isPersistent: values['persistent']!,
        timestamp: values['timestamp']!,
        priority: values['priority']!,
        expiration: values['expiration'] ?? 0,
        type: values['type'] ?? null,
        correlationId: correlationId ?? null,
        ...(values['properties'] !== undefined && { properties: values['properties'] as Record<string, string> }),
      });
    default:
      return null;
  }
}

describe('frames', () => {
  const own = rows.filter((row) => ours(row) !== null);

  it.each(own.map((row) => [`${row.command} ${row.values['commandId']}`, row] as const))(
    'are byte for byte those of the Java client: %s',
    (_, row) => {
      expect(ours(row)!.toString('hex')).toBe(row.loose);
    },
  );

  it('cover every command that a producer sends', () => {
    expect(own).toHaveLength(19);
  });

  it('grow beyond their first size, and refuse names that are too long', () => {
    const message = {
      producer: PRODUCER,
      destination: destinationIn('topic://audit'),
      id: { producer: PRODUCER, sequence: 1 },
    };
    const rest = { isPersistent: false, timestamp: 0 };
    const frame = textMessage(1, false, { ...message, ...rest, text: 'x'.repeat(200_000) });
    expect(frame.readInt32BE(0)).toBe(frame.length - 4);
    const long = { kind: 'topic', name: 'x'.repeat(65_536) } as const;
    expect(() => producerInfo(1, PRODUCER, long)).toThrow(RangeError);
  });
});

describe('maps', () => {
  it('are read as they were written', () => {
    const entries = { a: true, b: 5, c: -7n, d: null, e: 'ä\0', f: 'y'.repeat(9000) };
    const read = readPrimitives(new FrameReader(writePrimitives(entries)));
    expect(Object.fromEntries(read)).toMatchObject({ a: true, b: 5, c: -7n, d: null, f: entries.f });
  });

  it.each([
    ['a count below zero', 'ffffffff'],
    ['a count beyond reason', '7fffffff'],
    ['fewer entries than they say', '00000002000161010100'],
    ['a value of an unknown type', '0000000100016163'],
  ])('are refused with %s', (_, hex) => {
    expect(() => readPrimitives(new FrameReader(Buffer.from(hex, 'hex')))).toThrow(MalformedFrame);
  });

  it('are part of a greeting, which begins as that of the Java client', () => {
    const greeting = wireFormat({ CacheEnabled: false });
    const known = rows.find(({ command }) => command === 'WireFormatInfo')!.loose;
    expect(greeting.toString('hex', 4, 17)).toBe(known.slice(8, 34));
  });
});
