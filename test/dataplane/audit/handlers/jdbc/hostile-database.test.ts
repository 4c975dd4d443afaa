import { describe, expect, it } from 'vitest';
import { DatabaseConnection } from '../../../../../dataplane/audit/handlers/jdbc/database-connection.ts';
import { AuditUnit, handlerSettings } from '../../../../support/audit/audit-unit.ts';
import { databaseOptions } from '../../../../support/audit/database-options.ts';
import { startHostileServer } from '../../../../support/audit/hostile-server.ts';
import { ids, supervised, upTo } from '../../../../support/audit/supervised-writer.ts';

const WELCOME = [0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49];
const MEBIBYTE = 1 << 20;

/** A message about a setting of the session, which may be of any length. */
function status(size: number): Buffer {
  const message = Buffer.alloc(size, 'x');
  message.write('S', 0);
  message.writeUInt32BE(size - 1, 1);
  message[PREFIX + 4] = 0;
  message[size - 1] = 0;
  return message;
}

const PREFIX = 5;
const PATIENCE = { timeout: 30_000 };

/** Messages at which the parser of the client throws. */
const MESSAGES: readonly (readonly [string, readonly number[]])[] = [
  ['an unknown kind of authentication', [0x52, 0, 0, 0, 8, 0, 0, 0, 99]],
  ['a row that is shorter than it says', [...WELCOME, 0x44, 0, 0, 0, 6, 0, 9]],
  ['a row without a query', [...WELCOME, 0x44, 0, 0, 0, 8, 0, 1, 0, 0]],
  ['the end of a command without a query', [...WELCOME, 0x43, 0, 0, 0, 8, 0x41, 0x41, 0x41, 0]],
];

describe('a JDBC sink whose server sends what no PostgreSQL sends', () => {
  it.each(MESSAGES)('fails its connection at %s', async (_, bytes) => {
    const server = await startHostileServer(Buffer.from(bytes));
    const database = new DatabaseConnection(databaseOptions(server.port), () => true);
    const run = async (): Promise<unknown> => {
      await database.open();
      return await database.run('SELECT 1');
    };
    await expect(run()).rejects.toThrow();
    await expect(database.open().then(() => database.run('SELECT 1'))).rejects.toThrow();
    expect(server.connections).toBe(2);
    database.close();
  });

  it.each(MESSAGES)('leaves the writer and its other handlers alone at %s', async (_, bytes) => {
    const server = await startHostileServer(Buffer.from(bytes));
    const { writer, lines } = supervised();
    const unit = new AuditUnit();
    const bad = { name: 'bad', className: 'JdbcAuditEventHandler', options: databaseOptions(server.port) };
    writer.heard(unit, unit.open([handlerSettings({}), handlerSettings(bad)]));
    for (let n = 0; n < 5; n++) unit.emit();
    await expect.poll(() => server.connections, PATIENCE).toBeGreaterThan(2);
    for (let n = 0; n < 5; n++) unit.emit();

    await expect.poll(() => ids(lines), PATIENCE).toEqual(upTo(10));
    expect(writer.restarts).toBe(0);
    const figures = writer.figures.find(({ handler }) => handler === 'bad')!;
    await expect.poll(() => figures.accounts.waiting, PATIENCE).toBe(10);
    expect(figures.accounts).toMatchObject({ emitted: 10, droppedInAll: 0 });
  });

  it.each([
    ['one endless message', [0x44, 0x7f, 0xff, 0xff, 0xff], Buffer.alloc(MEBIBYTE), 'bytes was announced'],
    ['messages without end', [], status(MEBIBYTE), 'more than 67108864 bytes for one statement'],
  ])('closes the connection at %s', async (_, bytes, repeats, message) => {
    const server = await startHostileServer(Buffer.from(bytes), { repeats, most: 256 * MEBIBYTE });
    const database = new DatabaseConnection(databaseOptions(server.port), () => true);
    await expect(database.open()).rejects.toThrow(message);
    expect(server.sent).toBeLessThan(128 * MEBIBYTE);
    database.close();
  });

  it('leaves the writer and its other handlers alone when it throws outside of any promise', async () => {
    const server = await startHostileServer(Buffer.alloc(0));
    const { writer, lines, logged } = supervised();
    const unit = new AuditUnit();
    // the client throws in a listener of its socket
    const options = { ...databaseOptions(server.port, { connectTimeout: 100 }), applicationName: 5 };
    const bad = { name: 'bad', className: 'JdbcAuditEventHandler', options };
    writer.heard(unit, unit.open([handlerSettings({}), handlerSettings(bad)]));
    unit.emit();
    await expect.poll(() => logged.join(''), PATIENCE).toContain('audit handler failed unexpectedly');
    await expect.poll(() => server.connections, PATIENCE).toBeGreaterThan(1);
    unit.emit();

    await expect.poll(() => ids(lines), PATIENCE).toEqual([1, 2]);
    expect(writer.restarts).toBe(0);
  });
});
