import type { JdbcOptions } from '../../../dataplane/audit/handlers/jdbc/jdbc-sink.ts';

/** Options of a sink for a database on this machine. */
export function databaseOptions(port: number, more: Partial<JdbcOptions> = {}): JdbcOptions {
  return {
    ...{ host: '127.0.0.1', port, database: 'audit', user: 'gw', password: 'sesame', schema: null },
    ...{ applicationName: 'gatewarden', tls: null, connectTimeout: 60_000, timeout: 60_000, maxLifetime: 0 },
    tables: [{ topic: 'access', table: '"access"', idColumn: '"id"', columns: [{ field: ['_id'], column: '"id"' }] }],
    maxBatchedEvents: 100,
    ...more,
  };
}
