import type { z } from 'zod';
import type { Path } from '../../contract/problem.ts';
import { router } from '../handlers/router.ts';
import type { CheckedObject } from '../heap/scope.ts';
import type { SeenDocument } from './checked-document.ts';

/** A router of a document that has been checked. */
export interface RouterFacts {
  /** With the names of the scopes around it, such as `gateway._router`. */
  readonly name: string;
  readonly path: Path;
  readonly directory: string | null;
  /** In milliseconds; 0 for once. */
  readonly scanInterval: number;
  readonly hasDefaultHandler: boolean;
}

type RouterConfig = z.infer<typeof router.config>;

/** The routers that a document declares, in its heap or in place, in the order in which they are built. */
export function foundRouters({ scope, handler, decorations }: SeenDocument): RouterFacts[] {
  const seen = new Set<CheckedObject>();
  const found: RouterFacts[] = [];
  const visit = (object: CheckedObject): void => {
    if (object.scope !== scope || seen.has(object)) return;
    seen.add(object);
    for (const target of object.targets.values()) visit(target);
    for (const { decorator } of object.decorations) visit(decorator);
    if (object.definition.type !== router.type || object.config === undefined) return;
    const { directory, scanInterval, defaultHandler } = object.config as RouterConfig;
    found.push({
      name: `${scope.name}.${object.name}`,
      path: object.path,
      directory: directory ?? null,
      scanInterval,
      hasDefaultHandler: defaultHandler !== undefined,
    });
  };
  for (const object of scope.objects.values()) visit(object);
  if (handler !== null) visit(handler);
  for (const { decorator } of [...decorations, ...scope.globalDecorations]) visit(decorator);
  return found;
}
