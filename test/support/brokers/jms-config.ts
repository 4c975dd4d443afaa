import type { JsonObject } from '../../../contract/document/json-value.ts';

/** Changes to a usual configuration. */
export interface JmsWish {
  readonly properties?: JsonObject;
  readonly jndi?: JsonObject;
}

/** Configuration of a JMS handler for a URL, without the fields of every handler. */
export function jmsConfigFor(url: string, more: JsonObject = {}, wish: JmsWish = {}): JsonObject {
  const isAmqp = /\bamqps?:/.test(url);
  const factory = isAmqp
    ? 'org.apache.qpid.jms.jndi.JmsInitialContextFactory'
    : 'org.apache.activemq.jndi.ActiveMQInitialContextFactory';
  return {
    deliveryMode: 'PERSISTENT',
    sessionMode: 'AUTO',
    jndi: {
      contextProperties: {
        'java.naming.factory.initial': factory,
        'java.naming.provider.url': url,
        'topic.audit': 'audit',
        ...wish.properties,
      },
      topicName: 'audit',
      connectionFactoryName: 'ConnectionFactory',
      ...wish.jndi,
    },
    ...more,
  };
}
