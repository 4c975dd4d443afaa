import type { Language, Shape } from '../../contract/expression/language.ts';
import type { ShownFunction, ShownLanguage, ShownName } from '../../contract/shown/shown-catalogue.ts';
import { catalogue } from '../../dataplane/catalogue/catalogue.ts';
import { functionHelp, memberHelp, rootHelp } from '../../dataplane/language/language-help.ts';

/** Returns the names of a language with their descriptions, and the contexts that filters add. */
export function shownLanguage({ roots, functions }: Language, forTenants: Language): ShownLanguage {
  const shapes = new Map<string, readonly ShownName[]>();
  const visit = (shape: Shape): void => {
    if (shapes.has(shape.name) || memberHelp[shape.name] === undefined) return;
    shapes.set(shape.name, []);
    shapes.set(shape.name, membersOf(shape));
    for (const { shape: inner, items } of Object.values(shape.properties)) {
      if (inner !== undefined) visit(inner);
      if (items !== undefined) visit(items);
    }
  };
  for (const { shape } of roots.values()) if (shape !== undefined) visit(shape);
  shapes.set('contexts', [...(shapes.get('contexts') ?? []), ...contextsOfFilters()]);
  return {
    roots: [...roots].map(([name, root]) => ({ name, description: rootHelp[name] ?? '', ...nameFacts(root) })),
    shapes: Object.fromEntries(shapes),
    functions: functionHelp.map(([signature, result]) => shownFunction(signature, result, functions, forTenants)),
  };
}

function shownFunction(
  signature: string,
  result: string,
  functions: Language['functions'],
  forTenants: Language,
): ShownFunction {
  const name = signature.slice(0, signature.indexOf('('));
  const instead = functions.get(name)?.replacedBy;
  return {
    name,
    signature,
    description: result,
    ...(!forTenants.functions.has(name) && { operatorOnly: true }),
    ...(instead !== undefined && { instead }),
  };
}

function membersOf(shape: Shape): ShownName[] {
  const help = memberHelp[shape.name] ?? {};
  return [
    ...Object.entries(shape.properties).map(([name, property]) => ({
      name,
      description: help[name] ?? '',
      ...nameFacts(property),
    })),
    ...Object.keys(shape.methods ?? {}).map((name) => ({ name, description: help[name] ?? '', kind: 'method' })),
  ];
}

function nameFacts({
  kind,
  shape,
}: {
  readonly kind?: string;
  readonly shape?: Shape;
}): Pick<ShownName, 'kind' | 'shape'> {
  const known = shape !== undefined && memberHelp[shape.name] !== undefined ? { shape: shape.name } : {};
  return { ...(kind !== undefined && { kind }), ...known };
}

function contextsOfFilters(): ShownName[] {
  const givers = new Map<string, string[]>();
  for (const { type, provides = [] } of catalogue.definitions)
    for (const name of provides) givers.set(name, [...(givers.get(name) ?? []), type]);
  return [...givers].sort().map(([name, types]) => ({ name, description: `Added by ${types.sort().join(', ')}.` }));
}
