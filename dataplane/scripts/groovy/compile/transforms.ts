import { ScriptError } from '../syntax/place.ts';
import type { Annotation, ClassNode } from '../syntax/tree.ts';
import { ENUM, THROWABLE } from '../values/core-classes.ts';
import type { JavaClass } from '../values/java-class.ts';
import type { ClassTemplate } from './class-template.ts';
import { type Unit, unsupported } from './unit.ts';

/** Annotations that change nothing here. */
const IGNORED: ReadonlySet<string> = new Set([
  'Override',
  'Deprecated',
  'SuppressWarnings',
  'FunctionalInterface',
  'SafeVarargs',
  'PackageScope',
  'Field',
  'InheritConstructors',
  'CompileDynamic',
]);

/** Annotations that change nothing here where they stand, and are errors or not supported elsewhere. */
const BY_PLACE: Readonly<Record<string, readonly string[]>> = {
  Synchronized: ['method'],
  MapConstructor: ['class'],
  AutoFinal: ['class'],
  Final: ['class', 'method'],
};

type Place = 'class' | 'method' | 'field';

function isIgnored(name: string, place: Place): boolean {
  return IGNORED.has(name) || (BY_PLACE[name]?.includes(place) ?? false);
}

export type Canonical = NonNullable<ClassTemplate['canonical']>;

/** Members of annotations that have their effect. */
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  ToString: ['includeNames', 'includes', 'excludes', 'ignoreNulls', 'includePackage'],
  EqualsAndHashCode: ['includes', 'excludes'],
};

type Members = Annotation['members'];

function isSet(members: Members, name: string, place: Annotation['place']): boolean {
  const value = members.get(name);
  if (value === undefined) return false;
  if (value.kind !== 'literal' || typeof value.value !== 'boolean')
    return unsupported(`\`${name}\` with a value that is not true or false is not supported`, place);
  return value.value;
}

/** Names of properties: a list of texts, or one text with commas. */
function namesIn(members: Members, name: string, place: Annotation['place']): string[] | null {
  const value = members.get(name);
  if (value === undefined) return null;
  const texts = (value.kind === 'list' ? value.items : [value]).map((item) =>
    item.kind === 'literal' && typeof item.value === 'string'
      ? item.value
      : unsupported(`\`${name}\` with a value that is not a text is not supported`, place),
  );
  return texts.flatMap((text) => text.split(',')).map((text) => text.trim());
}

function chosenBy(members: Members, place: Annotation['place']): Canonical['compared'] {
  return { includes: namesIn(members, 'includes', place), excludes: namesIn(members, 'excludes', place) ?? [] };
}

function shownBy(members: Members, place: Annotation['place']): Canonical['shown'] {
  return {
    ...chosenBy(members, place),
    withNames: isSet(members, 'includeNames', place),
    withNulls: !isSet(members, 'ignoreNulls', place),
    withPackage: !members.has('includePackage') || isSet(members, 'includePackage', place),
  };
}

type Transform = Pick<Canonical, 'equals' | 'text' | 'tuple' | 'immutable'>;

const TRANSFORMS: Readonly<Record<string, Transform>> = {
  EqualsAndHashCode: { equals: true, text: false, tuple: false, immutable: false },
  ToString: { equals: false, text: true, tuple: false, immutable: false },
  TupleConstructor: { equals: false, text: false, tuple: true, immutable: false },
  Canonical: { equals: true, text: true, tuple: true, immutable: false },
  Immutable: { equals: true, text: true, tuple: true, immutable: true },
};

export function canonicalOf(annotations: readonly Annotation[]): Canonical | null {
  const found: { -readonly [K in keyof Canonical]: Canonical[K] } = {
    equals: false,
    text: false,
    tuple: false,
    immutable: false,
    shown: { withNames: false, withNulls: true, withPackage: true, includes: null, excludes: [] },
    compared: { includes: null, excludes: [] },
  };
  let isAny = false;
  for (const { name, place, members } of annotations) {
    if (isIgnored(name, 'class')) continue;
    const transform = Object.hasOwn(TRANSFORMS, name) ? TRANSFORMS[name] : undefined;
    const odd = [...members.keys()].find((member) => !(MEMBERS[name]?.includes(member) ?? false));
    if (transform === undefined || odd !== undefined)
      unsupported(`\`@${name}\`${transform === undefined ? '' : ` with \`${odd}\``} is not supported`, place);
    isAny = true;
    if (name === 'ToString') found.shown = shownBy(members, place);
    if (name === 'EqualsAndHashCode') found.compared = chosenBy(members, place);
    found.equals ||= transform.equals;
    found.text ||= transform.text;
    found.tuple ||= transform.tuple;
    found.immutable ||= transform.immutable;
  }
  return isAny ? found : null;
}

export function checkAnnotations(annotations: readonly Annotation[], kind: 'method' | 'field' = 'method'): void {
  for (const { name, place } of annotations) {
    if (!isIgnored(name, kind)) unsupported(`\`@${name}\` is not supported`, place);
  }
}

/** Types that `@Immutable` takes as they are, or copies. */
const IMMUTABLE =
  /^(?:\w+|java\.lang\.(?:String|Integer|Long|Boolean|Double|Float|Short|Byte|Character|Class)|java\.math\.Big\w+|java\.util\.(?:Date|UUID|Locale|Currency|Collection|List|Set|Map|SortedSet|SortedMap)|java\.net\.UR[IL]|java\.time\..+)$/;

/** Rejects transformed classes that Groovy rejects, and those whose effect is not here. */
export function checkTransforms(unit: Unit, node: ClassNode, type: JavaClass): void {
  const has = (wanted: string): boolean => node.modifiers.annotations.some(({ name }) => name === wanted);
  const own = node.fields.filter(({ modifiers }) => !modifiers.words.has('static'));
  if (has('MapConstructor') && own.some(({ modifiers }) => modifiers.words.has('final')))
    unsupported('`@MapConstructor` of a class with final properties is not supported', node.place);
  const above = type.superclass;
  if (has('InheritConstructors') && above?.declared === null && !above.supertypes.has(THROWABLE))
    unsupported(`\`@InheritConstructors\` of ${above.name} is not supported`, node.place);
  if (!has('Immutable')) return;
  if (node.constructors.length > 0)
    throw new ScriptError('an immutable class has no constructors of its own', node.constructors[0]!.place);
  for (const { name, type: written, place } of own) {
    const found = written === null ? null : unit.types.resolve(written);
    const declared = found === null ? undefined : unit.declared.get(found)?.node;
    const isKnown =
      found !== null &&
      (found.component !== null ||
        found.supertypes.has(ENUM) ||
        (declared === undefined
          ? IMMUTABLE.test(found.name)
          : declared.form === 'enum' || declared.modifiers.annotations.some((each) => each.name === 'Immutable')));
    if (!isKnown) unsupported(`the property '${name}' of this type is not supported in an immutable class`, place);
  }
}
