import type { AuditedRoute } from '../../heap/objects/audit-service.ts';
import { inOnePiece, jsonText } from './json-text.ts';

/** The JSON by which events name a route: to be made once. */
export function routePart({ id, name }: AuditedRoute): string {
  return inOnePiece(`,"routeId":${jsonText(id)},"routeName":${jsonText(name)}`);
}
