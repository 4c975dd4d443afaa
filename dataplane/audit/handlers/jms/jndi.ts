import { didYouMean } from '../../../../contract/did-you-mean.ts';
import { type Path, type ProblemCode, ValueProblem } from '../../../../contract/problem.ts';
import type { Remark } from '../../../heap/definition.ts';
import type { BrokerSettings } from './broker-settings.ts';
import { type ClientKind, readBrokerSettings } from './read-broker-settings.ts';

/** Fields of `jndi` that are looked up. */
export interface JndiFields {
  readonly contextProperties: Readonly<Record<string, string>>;
  readonly topicName: string;
  readonly connectionFactoryName: string;
}

/** Something wrong, at a path below `jndi`. */
export interface JndiProblem {
  readonly path: Path;
  readonly message: string;
  readonly code: ProblemCode;
  readonly hint?: string | undefined;
}

/** What the names stand for. */
export interface JndiObjects {
  readonly broker: BrokerSettings;
  /** Path of the URL below `jndi`. */
  readonly url: Path;
  /** Physical name; several with commas between. */
  readonly topic: string;
  /** At paths below `jndi`. */
  readonly remarks: readonly Remark[];
}

const FACTORY = 'java.naming.factory.initial';
const URL_PROPERTY = 'java.naming.provider.url';
const FACTORIES: Readonly<Record<string, ClientKind>> = {
  'org.apache.activemq.jndi.ActiveMQInitialContextFactory': 'activemq',
  'org.apache.activemq.jndi.ActiveMQSslInitialContextFactory': 'activemq',
  'org.apache.activemq.artemis.jndi.ActiveMQInitialContextFactory': 'artemis',
  'org.apache.qpid.jms.jndi.JmsInitialContextFactory': 'qpid',
};
const USUAL_NAMES = ['ConnectionFactory', 'QueueConnectionFactory', 'TopicConnectionFactory'];
const DYNAMIC_TOPICS = 'dynamicTopics/';
const DYNAMIC_QUEUES = 'dynamicQueues/';
const KEYSTORES = ['trustStore', 'trustStorePassword', 'keyStore', 'keyStorePassword', 'keyStoreKeyPassword'];

/** Looks the names of a handler up, as the context factories of the brokers do. Throws nothing. */
export function lookUp(fields: JndiFields): JndiObjects | readonly JndiProblem[] {
  const properties = new Map(Object.entries(fields.contextProperties));
  const problems: JndiProblem[] = [];
  const remarks: Remark[] = [];
  const client = clientOf(properties, problems);
  const url = factoryUrl(fields.connectionFactoryName, properties, client, problems);
  const topic = topicOf(fields.topicName, properties, client, problems, remarks);
  for (const name of KEYSTORES) {
    if (!properties.has(name)) continue;
    const message = "cannot be given here: use 'tls' of the handler with a ClientTlsOptions";
    problems.push({ path: ['contextProperties', name], code: 'unavailable-field', message });
  }
  let broker: BrokerSettings | null = null;
  if (client !== null && url !== null) {
    try {
      const read = readBrokerSettings(url.text, client);
      remarks.push(...read.remarks.map((remark) => ({ ...remark, at: url.path })));
      broker = withProperties(read.settings, fields.connectionFactoryName, properties);
    } catch (error) {
      if (!(error instanceof ValueProblem)) throw error;
      problems.push({ path: url.path, code: error.code, message: error.message, hint: error.hint });
    }
  }
  if (broker === null || url === null || topic === null || problems.length > 0) return problems;
  remarks.push(...propertyRemarks(properties, fields.connectionFactoryName));
  return { broker, url: url.path, topic, remarks };
}

function clientOf(properties: ReadonlyMap<string, string>, problems: JndiProblem[]): ClientKind | null {
  const path = ['contextProperties', FACTORY];
  const name = properties.get(FACTORY);
  const known = Object.keys(FACTORIES);
  if (name === undefined) {
    const message = `is required: there is no application server whose JMS resources could be used; one of ${known.join(', ')}`;
    problems.push({ path, code: 'missing', message });
    return null;
  }
  const client = Object.hasOwn(FACTORIES, name) ? FACTORIES[name] : undefined;
  if (client !== undefined) return client;
  const meant = didYouMean(name, known);
  const hint = meant === undefined ? undefined : `did you mean '${meant}'?`;
  problems.push({
    path,
    code: 'value',
    message: `'${name}' is not supported; supported are ${known.join(', ')}`,
    hint,
  });
  return null;
}

function factoryUrl(
  name: string,
  properties: ReadonlyMap<string, string>,
  client: ClientKind | null,
  problems: JndiProblem[],
): { readonly text: string; readonly path: Path } | null {
  for (const key of [`connectionfactory.${name}`, `connectionFactory.${name}`, `connection.${name}.brokerURL`]) {
    const text = properties.get(key);
    if (text !== undefined) return { text, path: ['contextProperties', key] };
  }
  const names = factoryNames(properties);
  if (!names.includes(name)) {
    const meant = didYouMean(name, names);
    problems.push({
      path: ['connectionFactoryName'],
      code: 'reference',
      message: `there is no connection factory '${name}'; there are ${names.join(', ')}`,
      hint: meant === undefined ? undefined : `did you mean '${meant}'?`,
    });
    return null;
  }
  for (const key of [URL_PROPERTY, 'brokerURL']) {
    const text = properties.get(key);
    if (text !== undefined) return { text, path: ['contextProperties', key] };
  }
  if (client === null) return null; // there may be no properties at all
  const message = "is required, such as 'ssl://broker.example.com:61617'";
  problems.push({ path: ['contextProperties', URL_PROPERTY], code: 'missing', message });
  return null;
}

function factoryNames(properties: ReadonlyMap<string, string>): string[] {
  const declared = [...properties.keys()].flatMap((key) => /^connection[fF]actory\.(.+)$/.exec(key)?.[1] ?? []);
  const listed = properties.get('connectionFactoryNames')?.split(',');
  return [...(listed?.map((one) => one.trim()).filter((one) => one !== '') ?? USUAL_NAMES), ...declared];
}

function topicOf(
  name: string,
  properties: ReadonlyMap<string, string>,
  client: ClientKind | null,
  problems: JndiProblem[],
  remarks: Remark[],
): string | null {
  const path = ['topicName'];
  if (name.startsWith(DYNAMIC_QUEUES) || properties.has(`queue.${name}`)) {
    const message = `'${name}' is a queue: audit events go to a topic`;
    problems.push({ path, code: 'value', message, hint: "declare it with 'topic.' in place of 'queue.'" });
    return null;
  }
  const declared = `topic.${name}`;
  const isDynamic = name.startsWith(DYNAMIC_TOPICS);
  const text = isDynamic ? name.slice(DYNAMIC_TOPICS.length) : properties.get(declared);
  if (text === undefined) {
    const names = [...properties.keys()].flatMap((key) => (key.startsWith('topic.') ? key.slice('topic.'.length) : []));
    const meant = didYouMean(name, names);
    const hint = meant === undefined ? undefined : `did you mean '${meant}'?`;
    const message = `there is no topic '${name}': declare '${declared}' in contextProperties, or name '${DYNAMIC_TOPICS}${name}'`;
    problems.push({ path, code: 'reference', message, hint });
    return null;
  }
  const at = isDynamic ? path : ['contextProperties', declared];
  const parts = text.split(',').map((part) => part.trim());
  const physical = parts.map((part) => part.replace(/\?.*$/, '').replace(/^topic:\/\//, ''));
  if (physical.some((one) => one === '' || /^(?:queue|temp-queue|temp-topic):\/\//.test(one))) {
    problems.push({ path: at, code: 'value', message: 'must name topics: not empty, and no queue' });
    return null;
  }
  if (physical.length > 1 && client === 'qpid') {
    problems.push({ path: at, code: 'value', message: 'must be one topic: AMQP has no composite topics' });
    return null;
  }
  if (parts.some((part) => part.includes('?'))) {
    const message = 'the options of the topic have no effect: they are about consumers';
    remarks.push({ at, code: 'no-effect', message });
  }
  return physical.join(',');
}

/** Options that properties give in place of the URL. */
function withProperties(
  settings: BrokerSettings,
  factory: string,
  properties: ReadonlyMap<string, string>,
): BrokerSettings {
  const given = (name: string): string | undefined =>
    properties.get(`connection.${factory}.${name}`) ?? properties.get(name);
  return {
    ...settings,
    userName: given('userName') ?? given('username') ?? settings.userName,
    password: given('password') ?? settings.password,
    clientId: given('clientID') ?? settings.clientId,
  };
}

const SECURITY = /^java\.naming\.security\.(?:principal|credentials)$/;
const USED =
  /^(?:java\.naming\.(?:factory\.initial|provider\.url)|brokerURL|connectionFactoryNames|userName|username|password|clientID|(?:topic|queue|connection[fF]actory)\..+)$/;

function propertyRemarks(properties: ReadonlyMap<string, string>, factory: string): Remark[] {
  const own = `connection.${factory}.`;
  return [...properties.keys()].flatMap((key): Remark[] => {
    const at = ['contextProperties', key];
    const name = key.startsWith(own) ? key.slice(own.length) : key;
    if (name === 'password') {
      return [{ at, code: 'insecure', message: "is in clear text: use 'passwordSecretId' of the handler" }];
    }
    if (SECURITY.test(name)) {
      return [{ at, code: 'no-effect', message: "has no effect: brokers read 'userName' and 'password'" }];
    }
    if (USED.test(name)) return [];
    return [{ at, code: 'no-effect', message: 'has no effect: the handler does not know this property' }];
  });
}
