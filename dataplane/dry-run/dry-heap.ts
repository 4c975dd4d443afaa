import { touchedPaths } from '../../contract/expression/touched-paths.ts';
import { tenantReach } from '../../contract/reach.ts';
import type { SeenValue } from '../../contract/shown/explanation.ts';
import type { RouteEntry } from '../../contract/snapshot.ts';
import type { Reading } from '../../contract/vocabulary/reading.ts';
import type { Reference } from '../../contract/vocabulary/reference.ts';
import { errorText } from '../../platform/error-text.ts';
import type { Exchange, Filter, Next } from '../engine/message/exchange.ts';
import { Response, refusalResponse } from '../engine/message/response.ts';
import { expressionsIn, targetsIn } from '../heap/config-walk.ts';
import type { Parts } from '../heap/definition.ts';
import type { Heap } from '../heap/heap.ts';
import type { Built, BuiltKind } from '../heap/kinds.ts';
import type { AccessTokenResolver } from '../heap/objects/access-tokens.ts';
import { secretsInOrder } from '../heap/objects/secrets-in-order.ts';
import type { PlaneServices } from '../heap/plane-services.ts';
import { type CheckedDecoration, type CheckedObject, decoratable, kindOf } from '../heap/scope.ts';
import { namedMemory } from '../heap/shared-memory.ts';
import type { ServedParts } from '../routes/generation.ts';
import type { RouteInside } from '../routes/route.ts';
import { copiedMemory } from './copied-memory.ts';
import { dryRunRule } from './dry-run-rules.ts';
import type { KnownTexts } from './known-texts.ts';
import { type ShownText, seenValues } from './seen-values.ts';
import type { RecordedObject, SkippedHandler, StepRecord } from './step-record.ts';

/** Surroundings of the objects of a dry run. */
export interface DryRunSetting {
  readonly tables: ServedParts['tables'];
  readonly plane: PlaneServices;
  /** The memory that serves. */
  readonly liveMemory: PlaneServices['sharedMemory'];
  readonly reading: Reading;
  readonly record: StepRecord;
  readonly shownText: ShownText;
  readonly known: KnownTexts;
  /** Id of the one route whose objects are shown; null if all are. */
  readonly shownRoute: string | null;
  readonly onClose: Parts['onClose'];
}

/** Types that only hand requests to others, so that a step of their own would tell nothing. */
const TRANSPARENT: ReadonlySet<string> = new Set(['Chain', 'ChainOfFilters', 'Delegate', 'Router']);
/** Services that are built for the dry run, because they know what to do in one. */
const BUILT_SERVICES: ReadonlySet<string> = new Set(['CacheAccessTokenResolver', 'Delegate']);
const SESSION = 'it uses the session of the client, which a dry run does not open';

/**
 * Filters and handlers of a document, built for one dry run beside those that serve. Objects that they use, such as
 * secret stores, are the ones that serve.
 */
export class DryHeap {
  private readonly live: Heap;
  private readonly setting: DryRunSetting;
  private readonly entry: RouteEntry | null;
  private readonly seen = new Map<CheckedObject, unknown>();

  /** @param entry the route whose objects they are; null for those of `config.json` */
  constructor(live: Heap, setting: DryRunSetting, entry: RouteEntry | null) {
    this.live = live;
    this.setting = setting;
    this.entry = entry;
  }

  /** The main handler of a document. */
  main({ handler, decorations }: RouteInside['document']): Next {
    if (this.isShown(handler)) this.addKnown([...decorations, ...this.live.scope.globalDecorations]);
    return this.decorated(this.get(handler), handler, decorations) as Next;
  }

  private get(object: CheckedObject): unknown {
    if (!this.seen.has(object)) this.seen.set(object, this.build(object));
    return this.seen.get(object);
  }

  private build(object: CheckedObject): unknown {
    const kind = kindOf(object);
    if (kind === 'accessTokenResolver') return this.resolver(object);
    if (kind !== 'filter' && kind !== 'handler') return this.live.get(object);
    const reason = this.reasonAgainst(object);
    const about = this.about(object, kind);
    const { record, known } = this.setting;
    if (about.isShown) {
      known.add([object.name, object.source]);
      this.addKnown(object.decorations);
    }
    const global = this.live.scope.decorations().filter((one) => decoratable(one, kind));
    const around = (built: unknown): unknown => this.decorated(built, object, [...object.decorations, ...global]);
    if (reason !== null)
      return kind === 'filter' ? record.skippedFilter(about, reason) : around(this.skipped(object, about, reason));
    const built = this.created(object);
    if (typeof built === 'string') {
      return kind === 'filter' ? record.skippedFilter(about, built) : this.skipped(object, about, built);
    }
    if (TRANSPARENT.has(object.definition.type)) return around(built);
    return kind === 'filter'
      ? record.filter(around(built) as Filter, about)
      : record.handler(around(built) as Next, about);
  }

  /** Whether the caller may see an object. Operators share some of theirs with tenants; those without a parent are built in. */
  private isShown({ scope }: CheckedObject): boolean {
    const { shownRoute } = this.setting;
    if (shownRoute === null) return true;
    return this.entry?.id === shownRoute && (scope === this.live.scope || scope.parent === null);
  }

  private addKnown(decorations: readonly CheckedDecoration[]): void {
    for (const { source } of decorations) this.setting.known.add(source);
  }

  /** Why an object does not run, or null. */
  private reasonAgainst(object: CheckedObject): string | null {
    const { config, targets, definition } = object;
    const rule = dryRunRule(definition.type);
    if (rule !== 'runs') return rule.reason;
    if (usesSession(config)) return SESSION;
    for (const target of targets.values()) {
      const kind = kindOf(target);
      // resolvers say so themselves once they are asked: a request without a token is refused before
      if (kind === 'filter' || kind === 'handler' || kind === 'accessTokenResolver') continue;
      const needed = dryRunRule(target.definition.type);
      if (needed !== 'runs') return `it needs '${target.name}' (${target.definition.type}): ${needed.reason}`;
    }
    return null;
  }

  /** The object, or why it cannot be built. */
  private created(object: CheckedObject): unknown {
    try {
      return object.definition.create(object.config, this.partsOf(object));
    } catch (error) {
      return `it cannot be built for a dry run: ${errorText(error)}`;
    }
  }

  private resolver(object: CheckedObject): AccessTokenResolver {
    const rule = dryRunRule(object.definition.type);
    const live = this.live.get(object) as AccessTokenResolver;
    const built = rule === 'runs' && BUILT_SERVICES.has(object.definition.type) ? this.created(object) : null;
    if (rule === 'runs' && typeof built !== 'string') return (built as AccessTokenResolver | null) ?? live;
    const why = rule === 'runs' ? String(built) : rule.reason;
    const reason = `${object.definition.type} '${object.name}' does not run: ${why}`;
    return {
      ...(live.schemes && { schemes: live.schemes }),
      ...(live.challenges && { challenges: live.challenges }),
      resolve: () => {
        this.setting.record.stop(reason);
        throw new Error(reason);
      },
    };
  }

  private partsOf(object: CheckedObject): Parts {
    const { name, definition, targets, scope } = object;
    const { onClose, plane } = this.setting;
    const target = (reference: Reference): CheckedObject => {
      const found = targets.get(reference);
      if (found === undefined) throw new Error(`a reference of '${name}' was not checked`);
      return found;
    };
    const qualifiedName = `${scope.name}.${name}`;
    return {
      ...{ type: definition.type, name, qualifiedName, identity: this.live.identityOf(object), onClose },
      declaration: () => qualifiedName,
      resolve: <K extends BuiltKind>(reference: Reference<K>): Built[K] => {
        const stores = reference.members.map((member) => this.get(target(member)) as Built['secretStore']);
        return (stores.length === 0 ? this.get(target(reference)) : secretsInOrder(stores)) as Built[K];
      },
      kindOf: (reference) => kindOf(target(reference)),
      log: plane.log,
      plane: { ...plane, ...this.reach, sharedMemory: this.memoryOf(definition.type) },
      ...{ scope: scope.name, route: this.live.routeOf(object), realm: '' },
      dispatcher: (defaultHandler) => this.dispatcher(qualifiedName, defaultHandler),
    };
  }

  /** Objects of tenants reach nothing of the machine. */
  private get reach(): Pick<PlaneServices, 'reach'> | null {
    return this.entry?.tenant === undefined ? null : { reach: tenantReach({}) };
  }

  /** State that decides: buckets are only looked at, and the circuit of a breaker is copied. */
  private memoryOf(type: string): PlaneServices['sharedMemory'] {
    const { liveMemory } = this.setting;
    if (type === 'ThrottlingFilter') return liveMemory;
    return type === 'CircuitBreakerFilter' ? copiedMemory(liveMemory) : namedMemory();
  }

  /** Hands requests to the route that takes them, as the router that serves would. */
  private dispatcher(router: string, defaultHandler: Next | null): Next {
    const { tables, record, shownRoute } = this.setting;
    return (exchange) => {
      const found = tables.get(router)?.find(exchange) ?? null;
      if (found === 'body') throw new Error('the condition of a route reads a body that is not at hand');
      if (found === 'misdirected') return refusalResponse('misdirected');
      if (found === null) return defaultHandler?.(exchange) ?? refusalResponse('no-route');
      const { entry, inside } = found;
      exchange.route = entry.id;
      const isShown = shownRoute === null || entry.id === shownRoute;
      const about = { kind: 'route', type: 'Route', name: entry.id, object: `${router}.${entry.name}` } as const;
      const handler: Next =
        inside === null
          ? () => refusalResponse('route-unsound')
          : new DryHeap(inside.heap, this.setting, entry).main(inside.document);
      return record.route(handler, { ...about, isShown, values: () => [] })(exchange);
    };
  }

  /** Only decorations that change requests. */
  private decorated(built: unknown, object: CheckedObject, decorations: readonly CheckedDecoration[]): unknown {
    const { name, definition, scope } = object;
    const kind = kindOf(object);
    const about = { kind, name, qualifiedName: `${scope.name}.${name}`, type: definition.type };
    let result = built;
    for (const { decorator, value } of decorations) {
      if (decorator.definition.type !== 'BaseUriDecorator') continue;
      const by = this.live.get(decorator) as Built['decorator'];
      if (kind === 'filter') result = by.filter?.(result as Filter, value, about) ?? result;
      else if (kind === 'handler') result = by.handler?.(result as Next, value, about) ?? result;
    }
    return result;
  }

  private skipped(object: CheckedObject, about: RecordedObject, reason: string): Next {
    const { config, definition, targets } = object;
    const sends = definition.sendsOn?.(config);
    const names = [...targets.values()].filter((one) => kindOf(one) === 'backends').map(({ name }) => name);
    const skipped = ({ request: { uri } }: Exchange): SkippedHandler => {
      if (sends === undefined) return { reason };
      const { known } = this.setting;
      const place = sends === 'to-backends' ? names.join(', ') : known.authority(uri.authority);
      return { reason, backend: `${uri.scheme}://${place}${known.uri(uri.rawPath)}` };
    };
    return this.setting.record.skippedHandler(about, skipped, () => new Response(200));
  }

  private about(object: CheckedObject, kind: 'filter' | 'handler'): RecordedObject {
    const { name, definition, scope, config } = object;
    const { reading, shownText } = this.setting;
    const expressions = expressionsIn(config, []).map(({ value }) => value);
    const values = (exchange: Exchange): readonly SeenValue[] =>
      seenValues(expressions, reading, exchange, shownText).filter(({ expression }) => OF_REQUEST.test(expression));
    const isShown = this.isShown(object);
    return { kind, type: definition.type, name, object: `${scope.name}.${name}`, isShown, values };
  }
}

const OF_REQUEST = /^(?:request|contexts|attributes)\b/;

function usesSession(config: unknown): boolean {
  const read = expressionsIn(config, []).flatMap(({ value: { compiled } }) =>
    compiled === null ? [] : touchedPaths(compiled.node),
  );
  const isSession = ([root, context]: readonly string[]): boolean =>
    root === 'session' || (root === 'contexts' && (context === undefined || context === 'session'));
  return read.some(isSession) || targetsIn(config, []).some(({ value }) => /\bsession\b/.test(value.source));
}
