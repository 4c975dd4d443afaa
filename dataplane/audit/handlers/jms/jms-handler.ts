import type { Remark } from '../../../heap/definition.ts';
import { auditHandler } from '../audit-handler.ts';
import { type JmsConfig, jmsConfig, jndiNames } from './jms-config.ts';
import type { JmsSinkOptions } from './jms-sink.ts';
import { type JndiObjects, lookUp } from './jndi.ts';

/** Events that are sent before the first of them is confirmed. */
const USUAL_BATCH = 500;
const BATCH_REASONS = {
  capacity: "use 'maxEvents' of 'queue'",
  threadCount: 'one connection sends all events of the handler',
  insertTimeoutSec: 'requests never wait for the queue',
  pollTimeoutSec: 'events are sent as soon as they are there',
  shutdownTimeoutSec: 'the drain timeout of the data plane counts',
} as const;

/** Sends audit events to a JMS broker. */
export const jmsAuditEventHandler = auditHandler<JmsConfig>({
  className: 'JmsAuditEventHandler',
  summary:
    'Sends each event as a `TextMessage` to a topic of a JMS broker: ActiveMQ or Artemis over OpenWire (`tcp`, `ssl` and ' +
    '`failover` URLs), or any broker with AMQP 1.0 (`amqp`, `amqps`). Events wait in a queue while no broker is ' +
    'reachable. Delivery is at least once: consumers drop duplicates by `_id`. It does not support queries.',
  config: jmsConfig,
  examples: [
    {
      title: 'ActiveMQ over TLS, with credentials from a secret store',
      config: {
        name: 'jms',
        topics: ['access'],
        deliveryMode: 'PERSISTENT',
        sessionMode: 'AUTO',
        jndi: {
          contextProperties: {
            'java.naming.factory.initial': 'org.apache.activemq.jndi.ActiveMQInitialContextFactory',
            'java.naming.provider.url': 'failover:(ssl://a.example.com:61617,ssl://b.example.com:61617)',
            'topic.audit': 'audit',
          },
          topicName: 'audit',
          connectionFactoryName: 'ConnectionFactory',
        },
        username: 'gateway',
        passwordSecretId: 'broker.password',
        secretsProvider: { type: 'SystemAndEnvSecretStore', config: { format: 'PLAIN' } },
      },
    },
  ],
  remarks(config) {
    const objects = objectsOf(config);
    const { batch, tls, secretsProvider, usernameSecretId, passwordSecretId } = config;
    const remarks: Remark[] = objects.remarks.map((remark) => ({ ...remark, at: ['jndi', ...remark.at] }));
    for (const name of Object.keys(BATCH_REASONS) as (keyof typeof BATCH_REASONS)[]) {
      if (batch?.[name] === undefined) continue;
      remarks.push({ at: ['batch', name], code: 'no-effect', message: `has no effect: ${BATCH_REASONS[name]}` });
    }
    if (batch !== undefined && !batch.batchEnabled && batch.maxBatchedEvents !== undefined) {
      const message = "has no effect without 'batchEnabled'";
      remarks.push({ at: ['batch', 'maxBatchedEvents'], code: 'no-effect', message });
    }
    if (tls !== undefined && !objects.broker.addresses.some(({ isSecure }) => isSecure)) {
      remarks.push({ at: ['tls'], code: 'no-effect', message: 'has no effect: no address of the URL uses TLS' });
    }
    if (secretsProvider !== undefined && (usernameSecretId ?? passwordSecretId) === undefined) {
      remarks.push({ at: ['secretsProvider'], code: 'no-effect', message: 'has no effect without a secret id' });
    }
    return remarks;
  },
  async options(config, parts) {
    const { broker, topic } = objectsOf(config);
    const { deliveryMode, envelope, batch, username, usernameSecretId, passwordSecretId } = config;
    const provider = config.secretsProvider === undefined ? null : parts.resolve(config.secretsProvider);
    const secret = async (id: string | undefined): Promise<string | null> =>
      provider === null || id === undefined ? null : Buffer.from((await provider.active(id)).reveal()).toString();
    const tls = config.tls === undefined ? null : parts.resolve(config.tls);
    const isSecure = broker.addresses.some((address) => address.isSecure);
    const options: JmsSinkOptions = {
      broker: {
        ...broker,
        userName: username ?? (await secret(usernameSecretId)) ?? broker.userName,
        password: (await secret(passwordSecretId)) ?? broker.password,
      },
      tls: tls === null || !isSecure ? null : await tls.portable(),
      topic,
      isPersistent: deliveryMode === 'PERSISTENT',
      hasEnvelope: envelope,
      maxBatchedEvents: batch?.batchEnabled === true ? (batch.maxBatchedEvents ?? USUAL_BATCH) : USUAL_BATCH,
    };
    return { ...options };
  },
});

/** @throws when names cannot be looked up, which the schema refuses before */
function objectsOf(config: JmsConfig): JndiObjects {
  const names = jndiNames(config);
  const objects = names === null ? null : lookUp(names);
  if (objects === null || !('broker' in objects)) throw new Error('the names of jndi lead nowhere');
  return objects;
}
