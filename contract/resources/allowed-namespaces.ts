import { z } from 'zod';
import { textOfForm } from './resource-rule.ts';

/** Schema field for the namespaces that may refer to a resource. */
export const allowedNamespaces = z
  .array(
    textOfForm('^([*]|[a-z0-9]([-a-z0-9]*[a-z0-9])?)$', 'must be the name of a namespace, or * for all of them', 63),
  )
  .max(256)
  .optional()
  .meta({ listType: 'set' })
  .describe(
    'Namespaces whose Routes may refer to it as NAMESPACE/NAME; * allows all namespaces. By default only Routes ' +
      'of its own namespace may.',
  );

/** Whether Routes of a namespace may refer to a resource of another one. */
export function isAllowedTo(namespace: string, owner: string, allowed: readonly string[] | undefined): boolean {
  return namespace === owner || (allowed ?? []).some((one) => one === '*' || one === namespace);
}
