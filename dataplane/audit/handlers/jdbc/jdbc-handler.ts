import { z } from 'zod';
import { readJsonPointer } from '../../../../contract/crest/json-pointer.ts';
import { ValueProblem } from '../../../../contract/problem.ts';
import {
  flag,
  integer,
  readConfigured,
  secretId,
  shown,
  text,
  wrongType,
} from '../../../../contract/vocabulary/configured.ts';
import { noEffect } from '../../../../contract/vocabulary/field-notes.ts';
import { exclusive } from '../../../../contract/vocabulary/groups.ts';
import { leaf } from '../../../../contract/vocabulary/leaf.ts';
import { ref } from '../../../../contract/vocabulary/reference.ts';
import { rulesAbout } from '../../../../contract/vocabulary/rules-about.ts';
import type { Remark } from '../../../heap/definition.ts';
import { missingField } from '../../events/filter-policies.ts';
import { auditHandler } from '../audit-handler.ts';
import { answerTimeoutField, bufferingFields } from '../connection/connection-fields.ts';
import { secretText, serverRemarks, serverTls } from '../connection/server-credentials.ts';
import { handlerFields, idleMapping } from '../handler-fields.ts';
import type { JdbcOptions } from './jdbc-sink.ts';
import { type JdbcPlace, readJdbcUrl } from './jdbc-url.ts';
import type { MappedTable } from './mapped-table.ts';
import { sqlName } from './sql-name.ts';

const OTHER_DATABASES = ['mysql', 'mariadb', 'oracle', 'h2', 'mssql', 'sqlserver', 'db2', 'derby', 'hsqldb'];

/** The one kind of database that there is a driver for. */
function databaseType(): z.ZodType<'postgresql', unknown> {
  return leaf('configuration expression<string>', { type: 'string' }, (value) =>
    readConfigured(value, (name) => {
      if (typeof name !== 'string') throw wrongType('the name of a database', name);
      const lower = name.toLowerCase();
      if (lower === 'postgresql' || lower === 'postgres') return 'postgresql';
      const why = OTHER_DATABASES.includes(lower)
        ? `${shown(name)} is not supported`
        : `must be postgresql, not ${shown(name)}`;
      throw new ValueProblem('value', why, 'use PostgreSQL, or another handler such as JmsAuditEventHandler');
    }),
  );
}

function jdbcUrl(): z.ZodType<JdbcPlace, unknown> {
  return leaf('configuration expression<string>', { type: 'string' }, (value) =>
    readConfigured(value, (url) => {
      if (typeof url !== 'string') throw wrongType('a JDBC URL', url);
      return readJdbcUrl(url);
    }),
  );
}

const nameOf = (parts: number) =>
  text().refine((name) => sqlName(name, parts) !== null, {
    error: 'is not a name in SQL; put other characters in double quotes',
  });

const tableMapping = z.strictObject({
  event: text().describe('Topic of the events.'),
  table: nameOf(2).describe('Table, with or without its schema, such as `audit.access`.'),
  fieldToColumn: z
    .record(z.string(), nameOf(1))
    .refine((columns) => Object.keys(columns).length > 0, { error: 'must have at least one column' })
    .describe('Columns by JSON pointers of fields, such as `{"_id": "id", "http/request/path": "path"}`.'),
});

const ONE_CONNECTION = 'one connection writes all batches in order';

const connectionPool = z
  .strictObject({
    jdbcUrl: jdbcUrl().describe(
      'JDBC URL such as `jdbc:postgresql://db.example.com:5432/audit?sslmode=verify-full`. Parameters: `user`, `ssl`, ' +
        '`sslmode`, `currentSchema`, `ApplicationName`. With `ssl=true` and every `sslmode` but `disable`, the ' +
        'certificate of the server is verified.',
    ),
    username: text().optional().describe('User name; by default that of the URL.'),
    password: text({ allowEmpty: true }).optional().describe('Password. Prefer `passwordSecretId`.'),
    passwordSecretId: secretId().optional().describe('Id of the password, a GenericSecret.'),
    connectionTimeout: integer({ min: 1, max: 600_000 })
      .default(30_000)
      .describe('How long connecting may take, in milliseconds.'),
    maxLifetime: integer({ min: 0 })
      .default(1_800_000)
      .describe('Age at which the connection is replaced, in milliseconds; 0 for never.'),
    autoCommit: noEffect(flag(), 'each batch is one transaction').describe('Whether each statement is committed.'),
    idleTimeout: noEffect(integer({ min: 0 }), ONE_CONNECTION).describe('Time until idle connections are closed.'),
    minIdle: noEffect(integer({ min: 0 }), ONE_CONNECTION).describe('Minimum number of idle connections.'),
    maxPoolSize: noEffect(integer({ min: 1 }), ONE_CONNECTION).describe('Maximum number of connections.'),
    poolName: noEffect(text(), ONE_CONNECTION).describe('Name of the pool.'),
    driverClassName: noEffect(text(), 'there are no Java drivers here').describe('Java class of the driver.'),
    dataSourceClassName: noEffect(text(), 'there are no Java drivers here').describe('Java class of the data source.'),
  })
  .check(exclusive('password', 'passwordSecretId'));

/** Writes events into a database. */
export const jdbcAuditEventHandler = auditHandler({
  className: 'JdbcAuditEventHandler',
  summary:
    'Writes events into tables of PostgreSQL, each batch in one transaction. With a column for `_id` that has a unique ' +
    'index, a repeated event is stored once. An event whose values the table rejects is dropped alone and counted: use ' +
    '`text` columns for what clients choose, such as paths. Objects and lists are stored as JSON, for columns of the ' +
    'types `text`, `json` or `jsonb`. NUL characters, which PostgreSQL does not store, are replaced by U+FFFD.',
  config: z
    .strictObject({
      ...handlerFields(),
      databaseType: databaseType().describe('Kind of database: `postgresql`.'),
      tableMappings: z.array(tableMapping).min(1).describe('Table of each topic, and its columns.'),
      connectionPool: connectionPool.describe('Connection to the database.'),
      tls: ref('tlsOptions')
        .optional()
        .describe('TLS options for URLs with `ssl` or `sslmode`; by default the CA certificates of the platform.'),
      secretsProvider: ref('secretsProvider').optional().describe('Provider of the password.'),
      timeout: answerTimeoutField(),
      buffering: bufferingFields(100)
        .unwrap()
        .extend({
          enabled: noEffect(flag(), 'events always wait in the queue of the handler').describe(
            'Whether events are buffered.',
          ),
          autoFlush: noEffect(flag(), 'events are written as soon as possible').describe(
            'Whether each event is flushed.',
          ),
          writerThreads: noEffect(integer({ min: 1 }), ONE_CONNECTION).describe('Number of threads.'),
        })
        .prefault({})
        .describe('Batches of events.'),
    })
    .check(
      rulesAbout(['connectionPool', 'secretsProvider'], ({ connectionPool, secretsProvider }, add) => {
        const { username, passwordSecretId, jdbcUrl: place } = connectionPool;
        if (username === undefined && place.user === null)
          add(['connectionPool', 'username'], 'is required', 'missing');
        if (passwordSecretId !== undefined && secretsProvider === undefined) {
          add(['secretsProvider'], "is required: 'passwordSecretId' needs it", 'missing');
        }
      }),
    )
    .check(
      rulesAbout(['topics', 'tableMappings'], ({ topics, tableMappings }, add) => {
        const mapped = tableMappings.map(({ event }) => event);
        for (const [at, event] of mapped.entries()) {
          if (mapped.indexOf(event) < at) add(['tableMappings', at, 'event'], `there are two tables for '${event}'`);
        }
        for (const topic of topics) {
          if (!mapped.includes(topic)) add(['tableMappings'], `has no table for the topic '${topic}'`, 'missing');
        }
        for (const [at, { fieldToColumn }] of tableMappings.entries()) {
          for (const [field, column] of Object.entries(fieldToColumn)) {
            const same = Object.entries(fieldToColumn).find(([, other]) => sqlName(other) === sqlName(column))!;
            const path = ['tableMappings', at, 'fieldToColumn', field];
            if (same[0] !== field) add(path, `has the same column as '${same[0]}'`);
            if (!isPointer(field)) add(path, 'is not a JSON pointer to a field of the event');
          }
        }
      }),
    ),
  examples: [
    {
      title: 'The table of the topic access',
      config: {
        name: 'database',
        topics: ['access'],
        databaseType: 'postgresql',
        tableMappings: [
          {
            event: 'access',
            table: 'audit.access',
            fieldToColumn: {
              _id: 'id',
              timestamp: 'timestamp_',
              transactionId: 'transactionid',
              'http/request/path': 'path',
              'response/statusCode': 'status',
            },
          },
        ],
        connectionPool: {
          jdbcUrl: 'jdbc:postgresql://db.example.com:5432/audit?sslmode=verify-full',
          username: 'gateway',
          passwordSecretId: 'database.password',
        },
        secretsProvider: { type: 'SystemAndEnvSecretStore', config: { format: 'PLAIN' } },
      },
    },
  ],
  remarks(config) {
    const { topics, tableMappings } = config;
    const { jdbcUrl: place, password, passwordSecretId } = config.connectionPool;
    const { host, useTls } = place;
    const whyNoTls = "the URL has neither 'ssl=true' nor an 'sslmode' with TLS";
    return [
      ...serverRemarks(
        config,
        { host, useTls, at: ['connectionPool', 'jdbcUrl'], whyNoTls },
        { at: ['connectionPool', 'password'], written: password, id: passwordSecretId },
        'the database and events',
      ),
      ...tableMappings.flatMap(({ event, fieldToColumn }, at): Remark[] => [
        ...idleMapping(['tableMappings', at], 'event', event, topics),
        ...Object.keys(fieldToColumn).flatMap((field): Remark[] => {
          const why = missingField(event, readJsonPointer(field));
          if (why === null) return [];
          const path = ['tableMappings', at, 'fieldToColumn', field];
          return [{ at: path, code: 'no-effect', message: `has no effect: ${why}` }];
        }),
      ]),
      ...tableMappings.flatMap((mapping, at) =>
        mappedTable(mapping).idColumn === null
          ? [
              {
                at: ['tableMappings', at, 'fieldToColumn'],
                code: 'insecure' as const,
                message: "has no column for '_id': an event that is delivered again is stored twice",
              },
            ]
          : [],
      ),
    ];
  },
  async options(config, { resolve }) {
    const {
      jdbcUrl: place,
      username,
      password,
      passwordSecretId,
      connectionTimeout,
      maxLifetime,
    } = config.connectionPool;
    const provider = config.secretsProvider === undefined ? null : resolve(config.secretsProvider);
    const options: JdbcOptions = {
      host: place.host,
      port: place.port,
      database: place.database,
      user: username ?? place.user ?? '',
      password: await secretText(password, passwordSecretId, provider),
      schema: place.schema,
      applicationName: place.applicationName ?? 'gatewarden',
      tls: await serverTls(place.useTls, config.tls, resolve),
      connectTimeout: connectionTimeout,
      timeout: config.timeout.milliseconds,
      maxLifetime,
      tables: config.tableMappings.map(mappedTable),
      maxBatchedEvents: config.buffering.maxBatchedEvents,
    };
    return options;
  },
});

function mappedTable({ event, table, fieldToColumn }: z.output<typeof tableMapping>): MappedTable {
  const columns = Object.entries(fieldToColumn).map(([field, column]) => ({
    field: readJsonPointer(field),
    column: sqlName(column)!,
  }));
  const id = columns.find(({ field }) => field.length === 1 && field[0] === '_id');
  return { topic: event, table: sqlName(table, 2)!, columns, idColumn: id?.column ?? null };
}

function isPointer(text: string): boolean {
  try {
    return readJsonPointer(text).length > 0;
  } catch {
    return false;
  }
}
