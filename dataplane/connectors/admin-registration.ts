import type { Logger } from 'pino';
import type { JsonObject } from '../../contract/document/json-value.ts';
import { type Problem, pathText } from '../../contract/problem.ts';
import type { Reach } from '../../contract/reach.ts';
import { ScopeCheck } from '../heap/check-scope.ts';
import { checkDefaultObjects } from '../heap/default-objects.ts';
import type { Parts } from '../heap/definition.ts';
import { Heap } from '../heap/heap.ts';
import { loadNamedParts } from '../heap/named-parts.ts';
import type { ClientRegistration } from '../heap/objects/openid-client.ts';
import type { TypeCatalogue } from '../heap/type-catalogue.ts';
import { documentReading } from '../routes/document-reading.ts';
import { adminServices } from './admin-services.ts';

export interface AdminRegistrationOptions {
  /** Fields of a ClientRegistration. */
  readonly config: JsonObject;
  readonly catalogue: TypeCatalogue;
  readonly reach: Reach;
  readonly log: Logger;
}

const NAME = 'console';

/** Builds a ClientRegistration outside of units, for as long as the process runs. @throws Error that names the field */
export async function adminRegistration({ config, catalogue, reach, log }: AdminRegistrationOptions): Promise<{
  readonly registration: ClientRegistration;
  readonly parts: Pick<Parts, 'plane' | 'scope' | 'onClose'>;
}> {
  const declaration = { name: NAME, type: 'ClientRegistration', config };
  await loadNamedParts(catalogue, [declaration]);
  const problems: Problem[] = [];
  const reading = documentReading(reach, [], () => {});
  const check = { catalogue, reading, report: (problem: Problem): void => void problems.push(problem) };
  const plane = adminServices(reach, log);
  const defaults = new Heap(checkDefaultObjects(check), null, plane);
  const scope = new ScopeCheck(NAME, defaults.scope, check);
  scope.heap([declaration], []);
  scope.finish();
  const object = scope.scope.objects.get(NAME);
  const fault = problems.find(({ severity }) => severity === 'error');
  if (fault !== undefined || object === undefined) {
    throw new Error(`${pathText(fault?.path ?? [])}: ${fault?.message ?? 'is not valid'}`);
  }
  const registration = new Heap(scope.scope, defaults, plane).get(object) as ClientRegistration;
  return { registration, parts: { plane, scope: NAME, onClose: () => {} } };
}
