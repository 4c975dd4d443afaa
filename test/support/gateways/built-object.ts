import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { JsonValue } from '../../../contract/document/json-value.ts';
import type { Problem } from '../../../contract/problem.ts';
import type { Reach } from '../../../contract/reach.ts';
import { catalogue } from '../../../dataplane/catalogue/catalogue.ts';
import { connectWire } from '../../../dataplane/engine/wire/connect.ts';
import { ScopeCheck } from '../../../dataplane/heap/check-scope.ts';
import { checkDefaultObjects } from '../../../dataplane/heap/default-objects.ts';
import { Heap } from '../../../dataplane/heap/heap.ts';
import type { Built, BuiltKind } from '../../../dataplane/heap/kinds.ts';
import type { PlaneServices } from '../../../dataplane/heap/plane-services.ts';
import { kindOf } from '../../../dataplane/heap/scope.ts';
import { namedMemory } from '../../../dataplane/heap/shared-memory.ts';
import { documentReading } from '../../../dataplane/routes/document-reading.ts';
import { operatorReach } from './operator-reach.ts';

export interface BuiltObjects {
  /** The object of this name, built now if it was not. @throws when it is none of this kind. */
  get<K extends BuiltKind>(kind: K, name: string): Built[K];
  /** Everything that was said about their configuration, warnings too. */
  readonly problems: readonly Problem[];
  /** Log lines that they wrote, parsed. */
  readonly logged: Record<string, unknown>[];
  close(): Promise<void>;
}

/** The objects of a heap, for what no request reaches. @throws when there are errors in it. */
export function buildObjects(declarations: JsonValue, reach: Reach = operatorReach()): BuiltObjects {
  const problems: Problem[] = [];
  const logged: Record<string, unknown>[] = [];
  const reading = documentReading(reach, [], () => {});
  const options = { catalogue, reading, report: (problem: Problem) => void problems.push(problem) };
  const defaults = checkDefaultObjects(options);
  const check = new ScopeCheck('test', defaults, options);
  check.heap(declarations, ['heap']);
  check.finish();
  if (problems.some(({ severity }) => severity === 'error')) throw new Error(JSON.stringify(problems));
  const plane: PlaneServices = {
    log: pino({ level: 'debug' }, { write: (line: string) => logged.push(JSON.parse(line)) }),
    reach,
    observe: () => {},
    count: () => {},
    counter: () => () => {},
    gauge: () => () => {},
    sharedMemory: namedMemory(),
    mayReach: () => true,
    streaming: true,
    connect: connectWire,
  };
  const outer = new Heap(defaults, null, plane);
  const heap = new Heap(check.scope, outer, plane);
  const close = async (): Promise<void> => {
    await heap.close();
    await outer.close();
  };
  onTestFinished(close);
  const get = <K extends BuiltKind>(kind: K, name: string): Built[K] => {
    const declared = check.scope.find(name);
    if (declared === undefined || kindOf(declared) !== kind) throw new Error(`there is no ${kind} '${name}'`);
    return heap.get(declared) as Built[K];
  };
  return { get, problems, logged, close };
}

export interface BuiltObject<K extends BuiltKind> extends Pick<BuiltObjects, 'problems' | 'logged' | 'close'> {
  readonly object: Built[K];
}

/** One object in a heap of its own. @throws when it cannot be built. */
export function buildObject<K extends BuiltKind>(
  kind: K,
  type: string,
  config: JsonValue = {},
  reach?: Reach,
): BuiltObject<K> {
  const { get, ...rest } = buildObjects([{ name: 'it', type, config }], reach);
  return { object: get(kind, 'it'), ...rest };
}
