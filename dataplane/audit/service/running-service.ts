import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { Problem } from '../../../contract/problem.ts';
import { errorText } from '../../../platform/error-text.ts';
import { PacedWarning } from '../../../platform/paced-warning.ts';
import type { Exchange } from '../../engine/message/exchange.ts';
import { referencesIn } from '../../heap/config-walk.ts';
import type { Parts } from '../../heap/definition.ts';
import type { AccessRecording, AuditService } from '../../heap/objects/audit-service.ts';
import { AccessRecorder } from '../events/access-recorder.ts';
import { eventIds } from '../events/event-ids.ts';
import { accessPolicies, addPolicies, compareAnyCase } from '../events/filter-policies.ts';
import { jsonValue } from '../events/json-text.ts';
import type { PolicyTree } from '../events/policy-tree.ts';
import { handlerClass } from '../handlers/handler-classes.ts';
import { noAuditLink, type OpenService } from '../link/audit-link.ts';
import type { AuditHandlerSettings, AuditServiceSettings } from '../writer/audit-orders.ts';
import { COMMON_FIELDS, type CustomTopic, loadTopics } from './custom-topics.ts';
import type { ReadHandler } from './event-handlers.ts';
import { LateEvents } from './late-events.ts';
import { handlersOf, type ServiceFields } from './service-fields.ts';

/** A built audit service: it makes events of exchanges, and hands them to the audit writer. */
export class RunningService implements AuditService {
  readonly access: AccessRecording | null;
  private readonly fields: ServiceFields;
  private readonly parts: Parts;
  private readonly handlers: readonly ReadHandler[];
  private readonly topics: ReadonlyMap<string, CustomTopic>;
  /** Topics that handlers take, in the order in which the writer knows them. */
  private readonly handled: readonly string[];
  private readonly link: OpenService;
  private readonly id = eventIds();
  private settings: AuditServiceSettings | null = null;
  private late: LateEvents | null = null;
  /** Warnings of missing secrets, by handler. */
  private readonly missing = new Map<string, PacedWarning>();
  private round = 0;
  private isClosed = false;

  /** @throws Error that says what is wrong with a custom topic */
  constructor(fields: ServiceFields, parts: Parts) {
    this.fields = fields;
    this.parts = parts;
    const { config } = fields;
    const { topics, faults, isPartial } = loadTopics(config.topics, config.topicsSchemasDirectory, parts.plane.reach);
    const [fault] = faults;
    if (fault !== undefined) throw new Error(fault.message);
    if (isPartial) throw new Error(`the directory ${config.topicsSchemasDirectory} of topic schemas cannot be read`);
    const trees = new Map<string, PolicyTree>([['access', accessPolicies()]]);
    for (const topic of topics.values()) trees.set(topic.name, topic.policies);
    compareAnyCase(config.caseInsensitiveFields, trees);
    addPolicies(config.filterPolicies, trees);
    this.topics = topics;
    this.handlers = handlersOf(fields).filter(({ config: { enabled } }) => enabled);
    this.handled = [...new Set(this.handlers.flatMap((handler) => handler.config.topics))];
    const mayRefuse = this.handlers.some(({ config: { whenFull } }) => whenFull === 'REFUSE_TRAFFIC');
    this.link = (parts.plane.auditLink ?? noAuditLink).open(this.handled, mayRefuse, parts.realm);
    this.access = this.handled.includes('access') ? this.recorder(trees.get('access')!) : null;
    if (this.handlers.length > 0) this.follow();
    parts.onClose(() => this.close());
  }

  get refusesTraffic(): boolean {
    return this.link.refusesTraffic;
  }

  publish(topic: string, event: JsonObject, exchange: Exchange | null): readonly Problem[] {
    const known = this.topics.get(topic);
    if (known === undefined) return [noTopic(topic, [...this.topics.keys()])];
    const { _id, ...given } = event; // the id is that of the service, and the last member
    const transactionId = exchange?.transactionId ?? this.id();
    const complete: JsonObject = { timestamp: new Date().toISOString(), transactionId, ...given, _id: this.id() };
    const problems = faultsOf(complete, known);
    if (problems.length > 0) return problems;
    if (this.handled.includes(topic)) this.write(topic, jsonValue(known.policies.recorded(complete)), false);
    return [];
  }

  private recorder(policies: PolicyTree): AccessRecorder {
    const { plane } = this.parts;
    const decider = plane.decider ?? (() => NOBODY);
    const write = (json: string, isOfRefused: boolean): void => this.write('access', json, isOfRefused);
    return new AccessRecorder({ eventName: this.fields.config.eventName, policies, id: this.id, decider, write });
  }

  /** Opens the service at the writer, and again whenever a secret of its handlers changes. */
  private follow(): void {
    const { parts } = this;
    for (const { config } of this.handlers) {
      for (const { value } of referencesIn(config, [])) {
        const object: unknown = parts.resolve(value as never);
        if (!isWatchable(object)) continue;
        parts.onClose(object.watch(() => void this.renew()));
      }
    }
    this.renew();
  }

  private renew(): void {
    const round = ++this.round;
    const all = this.handlers.map((handler) => this.settingsOf(handler));
    if (all.every((one): one is AuditHandlerSettings => !(one instanceof Promise))) {
      this.use(all);
      return;
    }
    void Promise.allSettled(all).then((settled) => {
      if (round !== this.round || this.isClosed) return;
      this.use(
        settled.map((one, at) =>
          one.status === 'fulfilled' ? one.value : this.withoutSecrets(this.handlers[at]!, errorText(one.reason)),
        ),
      );
    });
  }

  /** Settings of a handler whose secrets are missing: those that it had, or none, so that its events wait. */
  private withoutSecrets(handler: ReadHandler, reason: string): AuditHandlerSettings {
    const { name } = handler.config;
    const former = this.settings?.handlers.find((one) => one.name === name);
    const warning = this.missing.get(name) ?? new PacedWarning(this.parts.log, MISSING_SECRET, MISSING_PACE);
    this.missing.set(name, warning);
    const isWaiting = former === undefined || former.unavailable !== undefined;
    warning.give({ handler: name, reason, consequence: isWaiting ? 'its events wait' : 'it keeps its settings' });
    return former ?? { ...commonSettings(handler), options: {}, unavailable: reason };
  }

  private use(handlers: readonly AuditHandlerSettings[]): void {
    if (isDeepStrictEqual(handlers, this.settings?.handlers)) return;
    const { parts, handled: topics } = this;
    const { qualifiedName: name, realm } = parts;
    const queryHandler = this.fields.config.handlerForQueries ?? null;
    this.settings = { identity: parts.declaration(), name, realm, topics, handlers, queryHandler };
    this.link.change(this.settings);
  }

  private write(topic: string, json: string, isOfRefused: boolean): void {
    if (this.isClosed) this.late?.write(topic, json);
    else this.link.write(topic, json, isOfRefused);
  }

  private settingsOf(handler: ReadHandler): AuditHandlerSettings | Promise<AuditHandlerSettings> {
    const { class: className, config } = handler;
    const options = handlerClass(className)!.options(config, this.parts, (topic) => this.fieldsOf(topic));
    const withOptions = (known: AuditHandlerSettings['options']): AuditHandlerSettings => ({
      ...commonSettings(handler),
      options: known,
    });
    return options instanceof Promise
      ? options.then(withOptions)
      : withOptions(options as AuditHandlerSettings['options']);
  }

  /** Fields of a custom topic, those of every event first. */
  private fieldsOf(topic: string): readonly string[] {
    const known = this.topics.get(topic);
    return known === undefined ? [] : [...new Set([...COMMON_FIELDS, ...known.fields])];
  }

  private close(): void {
    this.isClosed = true;
    const { auditLink } = this.parts.plane;
    if (this.settings !== null && auditLink !== undefined) this.late = new LateEvents(auditLink, this.settings);
    const events = this.link.close();
    if (events > 0) {
      this.parts.log.warn(
        { events },
        'audit events lost: the service closed before a secret of its handlers was available',
      );
    }
  }
}

function commonSettings({ class: className, config }: ReadHandler): Omit<AuditHandlerSettings, 'options'> {
  const { name, topics, queue, spool = null, whenFull } = config;
  return { name, className, topics, queue, spool, whenFull };
}

const MISSING_SECRET = 'a secret of an audit handler is not available';
const MISSING_PACE = { most: 1, interval: 60_000 };
const NOBODY = { revision: '', plane: '', unit: 0 };

interface Watchable {
  watch(listener: () => void): () => void;
}

function isWatchable(object: unknown): object is Watchable {
  return typeof object === 'object' && object !== null && 'watch' in object && typeof object.watch === 'function';
}

function noTopic(topic: string, known: readonly string[]): Problem {
  const names = known.length === 0 ? 'the service has no custom topics' : `its custom topics are ${known.join(', ')}`;
  return { code: 'value', severity: 'error', path: [], message: `there is no custom topic '${topic}': ${names}` };
}

/** What is wrong with an event of a custom topic. */
function faultsOf(event: JsonObject, { schema, required, fields }: CustomTopic): readonly Problem[] {
  // a schema need not name the fields that the service adds
  const judged = Object.fromEntries(
    Object.entries(event).filter(([name]) => fields.has(name) || !COMMON_FIELDS.includes(name)),
  );
  const missing = required.filter((name) => !Object.hasOwn(event, name));
  const faults = [
    ...missing.map((name) => ({ path: [name], message: 'is required' })),
    ...schema.faults(judged).filter(({ path }) => !(path.length === 1 && missing.includes(String(path[0])))),
  ];
  return faults.map(({ path, message }) => ({ code: 'value', severity: 'error', path, message }));
}
