import type { JsonObject, JsonValue } from '../../../../contract/document/json-value.ts';
import { shortClassName } from '../../../../dataplane/audit/handlers/handler-classes.ts';
import { OpenwireServer } from '../../brokers/openwire-server.ts';
import { builtSink } from '../built-sink.ts';
import { sinkEvent } from '../sink-events.ts';
import type { Replay } from './replay.ts';
import { verdictOn } from './replayed-handler-row.ts';

/** A row of kind `jms`: handlers, events, and the messages that a JMS consumer read. */
interface JmsRow {
  readonly eventHandlers: readonly JsonObject[];
  readonly config?: JsonObject;
  readonly topicSchemas?: JsonObject;
  readonly events: readonly { readonly topic: string; readonly event: JsonObject; readonly answer: unknown }[];
  readonly messages: readonly (JsonObject & { readonly text: string })[];
  readonly handlerRefused?: unknown;
  readonly logged?: unknown;
}

/** Fields that Java and we name differently for each message. */
const OWN = ['JMSMessageID', 'JMSRedelivered', 'JMSTimestamp', 'isCompressed', 'text'];

/** Whether the configuration is accepted, and if it is, the messages, with the envelope of OpenIG and without. */
export async function replayedJms(row: JsonObject): Promise<Replay> {
  const { eventHandlers, config = {}, topicSchemas, messages, handlerRefused, logged } = row as unknown as JmsRow;
  const settings = topicSchemas === undefined ? config : { ...config, topics: topicSchemas };
  const isSound = messages.length > 0 || (handlerRefused === undefined && logged === undefined);
  const verdict = verdictOn(settings, handlersFor(eventHandlers, 61_616));
  if (messages.length === 0 || verdict === 'refused') {
    return { observed: isSound ? 'accepted' : 'refused', ours: verdict };
  }
  const observed = messages.map((message) => read(message));
  return {
    observed: { enveloped: observed, plain: observed.map(withoutEnvelope) },
    ours: { enveloped: await sent(row, true), plain: await sent(row, false) },
  };
}

function handlersFor(handlers: readonly JsonObject[], port: number): JsonObject[] {
  return JSON.parse(JSON.stringify(handlers).replaceAll(':PORT', `:${port}`)) as JsonObject[];
}

/** The messages that the handlers of a row send for the events that OpenIG accepted. */
async function sent(row: JsonObject, envelope: boolean): Promise<JsonValue[]> {
  const { eventHandlers, events, messages } = row as unknown as JmsRow;
  const broker = await OpenwireServer.listen();
  try {
    for (const { class: className, config } of handlersFor(eventHandlers, broker.port)) {
      const { topics, name: _, ...rest } = config as JsonObject & { readonly topics: readonly string[] };
      const wish = { className: shortClassName(className as string), config: { ...rest, topics, envelope } };
      const { sink } = await builtSink(wish);
      const accepted = events.filter(({ topic, answer }) => answer === 'accepted' && topics.includes(topicIn(topic)));
      // ids are made for each event, as they are in OpenIG
      const batch = accepted.map(({ topic, event }, at) =>
        sinkEvent({ ...event, _id: idIn(messages[at]!.text) }, topicIn(topic)),
      );
      await sink.deliver(batch);
      await sink.close();
    }
    return broker.messages.map((message) => read(message as unknown as JsonObject & { readonly text: string }));
  } finally {
    await broker.close();
  }
}

/** The topic that OpenIG takes from a path. */
function topicIn(path: string): string {
  return path.replace(/\/.*/, '');
}

function idIn(text: string): JsonValue {
  return (JSON.parse(text) as { readonly event: JsonObject }).event['_id']!;
}

/** A message with its body as JSON, and without what is new each time. */
function read(message: JsonObject & { readonly text: string }): JsonObject {
  const fields = Object.entries({ jmsMessageType: 'TextMessage', JMSReplyTo: null, ...message });
  // a consumer of one topic of a list sees that topic
  const destination = String(message['JMSDestination']).replace(/,.*/, '');
  const same = Object.fromEntries(fields.filter(([name]) => !OWN.includes(name)));
  return { ...same, JMSDestination: destination, body: bodyOf(message.text) };
}

/** Java writes 1.0 and -0.0 where JavaScript writes 1 and 0; the numbers are the same. */
function bodyOf(text: string): JsonValue {
  return JSON.parse(text, (_, value: unknown) => (value === 0 ? 0 : value)) as JsonValue;
}

function withoutEnvelope(message: JsonObject): JsonObject {
  return { ...message, body: (message['body'] as JsonObject)['event']! };
}
