import { type Declaration, type Decoration, readDeclaration } from '../../contract/declaration.ts';
import { didYouMean } from '../../contract/did-you-mean.ts';
import { isJsonObject, type JsonValue, kindOf as kindOfValue } from '../../contract/document/json-value.ts';
import { type Path, type Problem, pathText } from '../../contract/problem.ts';
import type { ServiceUse } from '../../contract/resources/service-reference.ts';
import { givenReferences } from '../../contract/vocabulary/given-references.ts';
import { fieldNames } from '../../contract/vocabulary/parse-config.ts';
import { type Kind, kinds, mistaken, type Reference, usableKinds } from '../../contract/vocabulary/reference.ts';
import { soundFields } from '../../contract/vocabulary/sound-fields.ts';
import { one } from './article.ts';
import { DecorationCheck } from './check-decoration.ts';
import type { CheckOptions } from './check-options.ts';
import { type Found, referencesIn } from './config-walk.ts';
import type { TypeDefinition } from './definition.ts';
import { isHidden } from './hidden-objects.ts';
import { impliedProvider, isImpliedStores, parseWithStores } from './implied-stores.ts';
import type { BuiltKind } from './kinds.ts';
import { heapArray, isLeftOut, reportUse, withoutLogSink } from './relics.ts';
import { noteValues } from './remarks.ts';
import { type CheckedDecoration, type CheckedObject, decoratable, kindOf, Scope } from './scope.ts';

/** An object in the making: its references still have to be found. */
interface Draft {
  readonly declaration: Declaration;
  readonly checked: CheckedObject & {
    readonly targets: Map<Reference, CheckedObject>;
    readonly decorations: CheckedDecoration[];
  };
  readonly references: readonly Found<Reference>[];
  linked: boolean;
}

/** Targets of all objects without references; nothing is ever put in. */
const NO_TARGETS = new Map<Reference, CheckedObject>();

/** How long a chain of references may be: objects call each other, and so does what builds them. */
const MOST_REFERENCES = 256;
/** How often a hint is looked for: whoever gets everything wrong needs no more, and looking takes time. */
const MOST_HINTS = 50;

/** Checks the objects of one document. Heap first, then whatever refers to it, then `finish`. */
export class ScopeCheck {
  readonly scope: Scope;
  private readonly options: CheckOptions;
  private readonly decoration: DecorationCheck;
  private readonly drafts = new Map<CheckedObject, Draft>();
  private readonly declaredAt = new Map<string, Path>();
  /** How many objects are being looked through for the one that they stand for. */
  private following = 0;
  private isTooFar = false;
  private hints = 0;
  private storesAreSound = true;
  private readonly providers = new Map<string, CheckedObject>();

  constructor(name: string, parent: Scope | null, options: CheckOptions) {
    const shared = options.tenant?.sharedObjects;
    this.scope = new Scope(name, parent, shared === undefined ? null : hiding(shared));
    this.options = options;
    this.decoration = new DecorationCheck(this.scope, options.reading, options.report, (given, candidates) =>
      this.meant(given, candidates),
    );
  }

  /** Declares what a `heap` array holds. */
  heap(given: JsonValue | undefined, at: Path): void {
    if (given === undefined) return;
    const { raw, path } = heapArray(given, at, this.options.report);
    if (!Array.isArray(raw)) {
      this.error('value', path, `must be an array of objects, not ${kindOfValue(raw)}`);
      this.scope.namesAreKnown = false;
      return;
    }
    const declarations = raw.map((item, index) => readDeclaration(item, [...path, index], true, this.options.report));
    for (const [index, declaration] of declarations.entries()) {
      if (declaration === null) {
        this.unreadable(raw[index]!, [...path, index]);
        continue;
      }
      const name = declaration.name!;
      const other = this.declaredAt.get(name);
      if (other === undefined) {
        this.declaredAt.set(name, declaration.path);
        const isLeft = isLeftOut(declaration, this.options.catalogue, this.options.report);
        const checked = isLeft ? null : this.drafted(declaration, name);
        if (isLeft) this.scope.unavailable = new Map([...this.scope.unavailable, [name, declaration.type]]);
        else if (checked !== null) this.scope.objects.set(name, checked);
        else this.addUnsound(name);
      } else {
        const message = `there is another object '${name}' in this heap, at ${pathText(other)}`;
        this.error('duplicate-name', [...declaration.path, 'name'], message, undefined, [other]);
      }
    }
  }

  /** Says that there will be stores, for objects that do not say where their secrets are. Call it before `heap`. */
  expectStores(): void {
    this.scope.secretStores = [];
  }

  /** Declares what `secrets.stores` holds. Call it after `heap`. */
  stores(references: readonly Reference<'secretStore'>[], path: Path): void {
    for (const [index, reference] of references.entries()) {
      const at = [...path, index];
      const store = this.target(reference, at);
      if (store === null) {
        this.storesAreSound = false;
        continue;
      }
      this.scope.secretStores?.push(store);
      if (reference.name !== null) continue;
      const other = this.declaredAt.get(store.name);
      if (other === undefined) {
        this.declaredAt.set(store.name, at);
        this.scope.objects.set(store.name, store);
      } else {
        const message = `there is another object '${store.name}' in this heap, at ${pathText(other)}`;
        this.error('duplicate-name', [...at, 'name'], message, undefined, [other]);
      }
    }
  }

  private addUnsound(name: string): void {
    this.scope.unsound = new Set([...this.scope.unsound, name]);
  }

  /** What is no declaration may still have the name that others refer to it by. */
  private unreadable(raw: JsonValue, path: Path): void {
    const name = isJsonObject(raw) ? raw['name'] : undefined;
    if (typeof name === 'string' && !this.declaredAt.has(name)) {
      this.declaredAt.set(name, path);
      this.addUnsound(name);
    } else this.scope.namesAreKnown = false;
  }

  /** The object that a reference outside of any object's configuration stands for, such as a route's handler. */
  resolve(reference: Reference, path: Path): CheckedObject | null {
    return this.target(reference, path);
  }

  /**
   * Checks what top-level keys or `globalDecorators` say; incompatible objects are the caller's to tell apart. `kind` is
   * null where objects of every kind are meant. `fields` are the other keys that the same place may have.
   */
  decorations(
    decorations: readonly Decoration[],
    kind: BuiltKind | null,
    fields: readonly string[] = [],
  ): CheckedDecoration[] {
    return decorations.flatMap((decoration) => this.decoration.check(decoration, kind, fields) ?? []);
  }

  /** Finds what references stand for and refuses cycles. Call it once everything is declared. */
  finish(): void {
    // a Map's iterator also visits what is added while it runs: objects declared in place
    for (const draft of this.drafts.values()) {
      this.link(draft);
      for (const decoration of draft.declaration.decorations) this.decorate(draft, decoration);
    }
    this.refuseCycles();
  }

  /** Finds what the references of an object stand for, once. */
  private link(draft: Draft): void {
    if (draft.linked) return;
    draft.linked = true;
    for (const { value: reference, path } of draft.references) {
      const target = this.target(reference, path);
      if (target !== null) draft.checked.targets.set(reference, target);
    }
  }

  private drafted(
    declaration: Declaration,
    name: string,
    configPath: Path = [...declaration.path, 'config'],
  ): CheckedObject | null {
    const { catalogue, reading, report } = this.options;
    const definition = catalogue.find(declaration.type);
    const typePath = [...declaration.path, 'type'];
    if (definition === undefined) {
      report({ severity: 'error', path: typePath, ...catalogue.unknown(declaration.type) });
      return null;
    }
    if (definition.operatorOnly !== undefined && reading.reach.origin === 'tenant') {
      this.error('not-allowed', typePath, `${definition.type} is for operators only: ${definition.operatorOnly}`);
      return null;
    }
    const given = withoutLogSink(declaration.config, definition, configPath, report);
    const { parsed, config } = parseWithStores(definition, given, configPath, reading, this.scope);
    for (const problem of parsed.problems) report(problem);
    const references =
      parsed.value === undefined
        ? givenReferences(definition.config, config, reading, configPath)
        : referencesIn(parsed.value, configPath);
    const checked = {
      name,
      definition,
      config: parsed.value,
      source: config,
      path: declaration.path,
      scope: this.scope,
      targets: references.length === 0 ? NO_TARGETS : new Map<Reference, CheckedObject>(),
      decorations: [],
    };
    if (parsed.value !== undefined) this.note(definition, parsed.value, configPath);
    else noteValues(soundFields(definition.config, config, reading), configPath, this.options);
    this.drafts.set(checked, { declaration, checked, references, linked: false });
    return checked;
  }

  /** The object for those that do not say where their secrets are. */
  private impliedStores(name: string, path: Path): CheckedObject | null {
    const known = this.providers.get(name);
    if (known !== undefined) return known;
    const definition = this.options.catalogue.find('SecretsProvider');
    const checked = definition === undefined ? null : impliedProvider(name, this.scope, definition);
    if (checked === null) {
      if (this.storesAreSound) this.error('missing', path, `is required: there are no ${name}`);
      return null;
    }
    this.providers.set(name, checked);
    const declaration = { name, type: checked.definition.type, config: {}, path: checked.path, decorations: [] };
    this.drafts.set(checked, { declaration, checked, references: [], linked: true });
    return checked;
  }

  private note(definition: TypeDefinition, config: unknown, path: Path): void {
    noteValues(config, path, this.options);
    const service = definition.serviceOf?.(config) ?? null;
    if (service !== null) this.noteService(service, [...path, 'service']);
    for (const { at, message, code = 'unavailable-field' } of definition.remarks?.(config) ?? []) {
      this.report('warning', code, [...path, ...at], message);
    }
  }

  private noteService(use: ServiceUse, path: Path): void {
    this.options.service?.(use, path);
    if (this.options.service !== undefined) return;
    const message = 'is for Route resources of a cluster only: elsewhere the gateway knows no Services';
    this.error('not-allowed', path, message, "use 'dns' or 'endpoints' here, or a Route resource");
  }

  private target(reference: Reference, path: Path): CheckedObject | null {
    const found =
      reference.name === null ? this.inPlace(reference, path) : this.named(reference.name, reference.kind, path);
    if (found === null) return null;
    const { follows, type } = found.definition;
    const draft = follows === undefined ? undefined : this.drafts.get(found);
    if (draft !== undefined && !this.follow(draft)) return null;
    const kind = kindOf(found);
    const usable = usableKinds(reference);
    if (usable === null || usable.includes(kind)) return found;
    if (follows !== undefined && kind === 'any') return null; // its own reference has a problem, or is part of a cycle
    const wanted = `must be ${usable.map((each) => one(kinds[each])).join(' or ')}`;
    const own = type === kinds[kind] ? `not ${one(type)}` : `and ${one(type)} is ${one(kinds[kind])}`;
    if (reference.name === null) this.error('kind', path, `${wanted}, ${own}`);
    else if (reference.name === type || type === kinds[kind]) {
      this.error('kind', path, `${wanted}, but '${reference.name}' is ${one(kinds[kind])}`);
    } else this.error('kind', path, `${wanted}, but '${reference.name}' is ${one(type)}, which is ${one(kinds[kind])}`);
    return null;
  }

  /** Links an object whose kind is that of its target. @returns false when that target is too far away. */
  private follow(draft: Draft): boolean {
    if (this.following >= MOST_REFERENCES) {
      this.tooFar(draft.checked);
      return false;
    }
    this.following++;
    this.link(draft);
    this.following--;
    return true;
  }

  /** One such chain is one problem, however much longer it is. */
  private tooFar({ path }: CheckedObject): void {
    if (this.isTooFar) return;
    this.isTooFar = true;
    this.error('reference', path, `is at the end of a chain of more than ${MOST_REFERENCES} references`);
  }

  private named(name: string, kind: Kind, path: Path): CheckedObject | null {
    if (isImpliedStores(name) && this.scope.hasStores()) return this.impliedStores(name, path);
    const found = this.scope.find(name);
    if (found !== undefined && found.definition !== undefined) return found;
    const unavailable = found === undefined ? this.scope.unavailableType(name) : undefined;
    if (unavailable !== undefined) {
      reportUse(name, this.options.catalogue.unknown(unavailable), path, this.options.report);
      return null;
    }
    if (this.scope.mayDeclare(name)) return null;
    const lent = this.lent(name, kind);
    if (lent !== null) return lent;
    this.options.unknown?.(kind, name, path);
    const meant = this.meant(name, () => this.scope.names());
    const isType = this.options.catalogue.has(name);
    const typeHint = isType ? `${name} is a type: write { "type": "${name}", … } for an object of it` : undefined;
    const hint =
      typeHint ??
      (meant === undefined ? (mistaken[kind]?.(name) ?? this.options.elsewhere) : `did you mean '${meant}'?`);
    this.error('reference', path, `there is no object '${name}' in this heap or in those around it`, hint);
    return null;
  }

  /** Stands for a shared object, of which the document knows nothing but the type. */
  private lent(name: string, kind: Kind): CheckedObject | null {
    const type = this.options.lend?.(kind, name) ?? null;
    const definition = type === null ? undefined : this.options.catalogue.find(type);
    if (definition === undefined) return null;
    const { scope } = this;
    const known = scope.lent.get(name);
    if (known !== undefined) return known;
    const nothing = { config: undefined, source: {}, path: [], targets: new Map(), decorations: [] };
    const made = { name, definition, scope, ...nothing };
    scope.lent = new Map([...scope.lent, [name, made]]);
    return made;
  }

  private inPlace({ declaration: raw, isConfig }: Reference, path: Path): CheckedObject | null {
    const declaration = readDeclaration(raw, path, false, this.options.report);
    if (declaration === null) return null;
    const name = declaration.name ?? `{${declaration.type}}/${path.join('/')}`;
    return this.drafted(declaration, name, isConfig ? path : undefined);
  }

  private decorate({ checked }: Draft, decoration: Decoration): void {
    const { type } = checked.definition;
    const kind = kindOf(checked);
    if (this.isMisplaced(decoration.name, checked.definition)) {
      const message = `has no effect here: it is a field of ${type}`;
      this.report('warning', 'decoration', decoration.path, message, "move it into 'config'");
      return;
    }
    const made = this.decoration.check(decoration, kind, ['config', 'type', 'name']);
    if (made === null) return;
    if (decoratable(made, kind)) checked.decorations.push(made);
    else this.error('decoration', decoration.path, `'${decoration.name}' cannot decorate ${one(type)}`);
  }

  /** Whether somebody wrote a field of an object beside its `config`. */
  private isMisplaced(name: string, { config }: TypeDefinition): boolean {
    return !this.decoration.isDecorator(name) && fieldNames(config).includes(name);
  }

  private meant(name: string, candidates: () => readonly string[]): string | undefined {
    return ++this.hints > MOST_HINTS ? undefined : didYouMean(name, candidates());
  }

  private refuseCycles(): void {
    const done = new Set<CheckedObject>();
    const visit = (object: CheckedObject, trail: readonly CheckedObject[]): void => {
      if (done.has(object) || !this.drafts.has(object)) return;
      const start = trail.indexOf(object);
      if (start >= 0) {
        const round = [...trail.slice(start), object].map(({ name }) => `'${name}'`).join(' → ');
        const others = trail.slice(start + 1).map(({ path }) => path);
        this.error('cycle', object.path, `the objects reference each other: ${round}`, undefined, others);
        return;
      }
      if (trail.length >= MOST_REFERENCES) {
        this.tooFar(object);
        return;
      }
      for (const target of [...object.targets.values(), ...object.decorations.map((one) => one.decorator)]) {
        visit(target, [...trail, object]);
      }
      done.add(object);
    };
    for (const object of this.drafts.keys()) visit(object, []);
  }

  private error(code: Problem['code'], path: Path, message: string, hint?: string, others?: readonly Path[]): void {
    this.report('error', code, path, message, hint, others);
  }

  private report(
    severity: Problem['severity'],
    code: Problem['code'],
    path: Path,
    message: string,
    hint?: string,
    others?: readonly Path[],
  ): void {
    const more = { ...(hint === undefined ? {} : { hint }), ...(others === undefined ? {} : { others }) };
    this.options.report({ code, severity, path, message, ...more });
  }
}

/** Made out here, because a function that is made beside others keeps alive all that any of them reaches. */
function hiding(shared: ReadonlySet<string>): (object: CheckedObject) => boolean {
  return (object) => isHidden(object, shared);
}
