import { z } from 'zod';
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
import { deprecated } from '../../../../contract/vocabulary/field-notes.ts';
import { leaf } from '../../../../contract/vocabulary/leaf.ts';
import { ref } from '../../../../contract/vocabulary/reference.ts';
import { rulesAbout } from '../../../../contract/vocabulary/rules-about.ts';
import { handlerFields } from '../handler-fields.ts';
import type { BrokerSettings } from './broker-settings.ts';
import { type JndiFields, type JndiObjects, lookUp } from './jndi.ts';

/** One of these words, exactly as written here: Java's configurations know no other spelling. */
function exactly<const Word extends string>(words: readonly Word[]): z.ZodType<Word, unknown> {
  const json = {
    anyOf: [
      { type: 'string', enum: words },
      { type: 'string', pattern: '[$#]\\{' },
    ],
  };
  return leaf('configuration expression<enumeration>', json, (value) =>
    readConfigured(value, (given) => {
      const word = words.find((one) => one === given);
      if (word !== undefined) return word;
      if (given === undefined) throw wrongType('one of them', given);
      throw new ValueProblem('value', `must be one of ${words.join(', ')}, not ${shown(given)}`);
    }),
  );
}

/** A value of a Java property: numbers and flags are texts. */
function property(): z.ZodType<string, unknown> {
  const json = { type: ['string', 'number', 'boolean'] };
  return leaf('configuration expression<string>', json, (value) =>
    readConfigured(value, (given) => {
      if (typeof given === 'string') return given;
      if (typeof given === 'number' || typeof given === 'boolean' || typeof given === 'bigint') return String(given);
      throw wrongType('a string', given);
    }),
  );
}

const jndiFields = z.strictObject({
  contextProperties: z
    .record(z.string(), property())
    .default({})
    .describe(
      'Properties of the initial context: `java.naming.factory.initial` and `java.naming.provider.url`, a topic as ' +
        '`topic.NAME`, and `userName` and `password`. Also `connectionFactoryNames` and `connectionfactory.NAME`.',
    ),
  topicName: text()
    .optional()
    .describe(
      'JNDI name of the topic: `NAME` of `topic.NAME`, or `dynamicTopics/` and the name at the broker. Required.',
    ),
  connectionFactoryName: text()
    .optional()
    .describe('JNDI name of the connection factory, usually `ConnectionFactory`. Required.'),
  jmsTopicName: deprecated(text(), "'topicName'").describe('Another name of `topicName`.'),
  jmsConnectionFactoryName: deprecated(text(), "'connectionFactoryName'").describe(
    'Another name of `connectionFactoryName`.',
  ),
});

const batchFields = z.strictObject({
  batchEnabled: flag()
    .default(false)
    .describe('Whether `maxBatchedEvents` counts. The handler always sends several events before it waits.'),
  maxBatchedEvents: integer({ min: 1, max: 10_000 })
    .optional()
    .describe('Maximum number of events that the broker has not confirmed.'),
  capacity: integer({ min: 0 }).optional().describe('No effect: use `maxEvents` of `queue`.'),
  threadCount: integer({ min: 0 }).optional().describe('No effect: one connection sends all events of the handler.'),
  insertTimeoutSec: integer({ min: 0 }).optional().describe('No effect: requests never wait for the queue.'),
  pollTimeoutSec: integer({ min: 0 }).optional().describe('No effect: events are sent as soon as they are there.'),
  shutdownTimeoutSec: integer({ min: 0 }).optional().describe('No effect: the drain timeout of the data plane counts.'),
});

/** Configuration of a `JmsAuditEventHandler`. */
export const jmsConfig = z
  .strictObject({
    ...handlerFields(),
    deliveryMode: exactly(['PERSISTENT', 'NON_PERSISTENT']).describe(
      'Whether the broker stores events on disk before it confirms them. Both modes wait for the broker.',
    ),
    sessionMode: exactly(['AUTO', 'CLIENT', 'DUPS_OK']).describe(
      'Acknowledgement mode of the JMS session. It is about receiving: events are sent in the same way in all modes.',
    ),
    jndi: jndiFields.describe('Names of the topic and the connection factory, and where to find them.'),
    batch: batchFields.optional().describe('Batches of OpenIG.'),
    envelope: flag()
      .default(false)
      .describe(
        'Whether bodies are `{"auditTopic": …, "event": …}`, as OpenIG sends them, in place of the event itself.',
      ),
    username: text()
      .optional()
      .describe('User name at the broker. Overrides that of the context properties and the URL.'),
    usernameSecretId: secretId().optional().describe('Secret id of the user name, in place of `username`.'),
    passwordSecretId: secretId().optional().describe('Secret id of the password at the broker.'),
    secretsProvider: ref('secretsProvider').optional().describe('Provider of these secrets.'),
    tls: ref('tlsOptions')
      .optional()
      .describe(
        'TLS options for `ssl` and `amqps` URLs; by default the CA certificates of the platform and strict host names.',
      ),
  })
  .check(
    rulesAbout(['jndi', 'username', 'usernameSecretId', 'passwordSecretId'], (value, add) => {
      const { jndi } = value;
      for (const [name, alias] of [
        ['topicName', 'jmsTopicName'],
        ['connectionFactoryName', 'jmsConnectionFactoryName'],
      ] as const) {
        if (jndi[name] === undefined && jndi[alias] === undefined) add(['jndi', name], 'is required', 'missing');
        if (jndi[name] !== undefined && jndi[alias] !== undefined) {
          add(['jndi', alias], `and '${name}' must not both be given`, 'exclusive');
        }
      }
      const names = jndiNames(value);
      const objects = names === null ? [] : lookUp(names);
      if (Array.isArray(objects)) {
        for (const { path, message, code, hint } of objects) add(['jndi', ...path], message, code, hint);
      } else {
        const fault = mechanismFault(value, (objects as JndiObjects).broker);
        if (fault !== null) add(['jndi', ...(objects as JndiObjects).url], fault);
      }
    }),
  )
  .check(
    rulesAbout(['batch'], ({ batch }, add) => {
      if (batch?.batchEnabled === true) {
        for (const name of ['capacity', 'threadCount', 'maxBatchedEvents'] as const) {
          if ((batch[name] ?? 1) < 1) add(['batch', name], 'must be at least 1');
        }
      }
    }),
  )
  .check(
    rulesAbout(
      ['username', 'usernameSecretId', 'passwordSecretId', 'secretsProvider'],
      ({ username, usernameSecretId, passwordSecretId, secretsProvider }, add) => {
        if (username !== undefined && usernameSecretId !== undefined) {
          add(['usernameSecretId'], "and 'username' must not both be given", 'exclusive');
        }
        if ((usernameSecretId ?? passwordSecretId) !== undefined && secretsProvider === undefined) {
          add(['secretsProvider'], 'is required with a secret id', 'missing');
        }
      },
    ),
  );

export type JmsConfig = z.output<typeof jmsConfig>;

/** Why no SASL mechanism that a URL allows fits the credentials; null where one does. */
function mechanismFault(
  { username, usernameSecretId, passwordSecretId }: Credentials,
  { addresses, userName, password }: BrokerSettings,
): string | null {
  const hasUser = (username ?? usernameSecretId ?? userName) !== null;
  const hasPassword = hasUser && (passwordSecretId ?? password) !== null;
  const needed = hasPassword ? 'PLAIN' : 'ANONYMOUS';
  if (addresses.every(({ mechanisms }) => mechanisms === null || mechanisms.includes(needed))) return null;
  return hasPassword
    ? "the option 'amqp.saslMechanisms' must list PLAIN, because there are a user name and a password"
    : "the option 'amqp.saslMechanisms' must list ANONYMOUS, unless there are a user name and a password";
}

interface Credentials {
  readonly username?: string | undefined;
  readonly usernameSecretId?: string | undefined;
  readonly passwordSecretId?: string | undefined;
}

/** The names to look up; null where one is missing. */
export function jndiNames({ jndi }: Pick<JmsConfig, 'jndi'>): JndiFields | null {
  const topicName = jndi.topicName ?? jndi.jmsTopicName;
  const connectionFactoryName = jndi.connectionFactoryName ?? jndi.jmsConnectionFactoryName;
  if (topicName === undefined || connectionFactoryName === undefined) return null;
  return { contextProperties: jndi.contextProperties, topicName, connectionFactoryName };
}
