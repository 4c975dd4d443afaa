import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { JsonValue } from '../../contract/document/json-value.ts';
import type { Problem } from '../../contract/problem.ts';
import type { Reach } from '../../contract/reach.ts';
import { catalogue } from '../../dataplane/catalogue.ts';
import { ScopeCheck } from '../../dataplane/heap/check-scope.ts';
import { Heap } from '../../dataplane/heap/heap.ts';
import type { Built, BuiltKind } from '../../dataplane/heap/kinds.ts';
import { connectWire } from '../../dataplane/http/connect.ts';
import { documentReading } from '../../dataplane/routes/document-reading.ts';
import { operatorReach } from './operator-reach.ts';

export interface BuiltObject<K extends BuiltKind> {
  readonly object: Built[K];
  /** Everything that was said about its configuration, warnings too. */
  readonly problems: readonly Problem[];
  /** Log lines that it wrote, parsed. */
  readonly logged: Record<string, unknown>[];
  close(): Promise<void>;
}

/** One object in a heap of its own, for what no request reaches. @throws when it cannot be built. */
export function buildObject<K extends BuiltKind>(
  kind: K,
  type: string,
  config: JsonValue = {},
  reach: Reach = operatorReach(),
): BuiltObject<K> {
  const problems: Problem[] = [];
  const logged: Record<string, unknown>[] = [];
  const reading = documentReading(reach, [], () => {});
  const check = new ScopeCheck('test', null, { catalogue, reading, report: (problem) => problems.push(problem) });
  check.heap([{ name: 'it', type, config }], ['heap']);
  check.finish();
  const declared = check.scope.find('it');
  if (declared === undefined || problems.some(({ severity }) => severity === 'error')) {
    throw new Error(`there is no ${kind}: ${JSON.stringify(problems)}`);
  }
  const heap = new Heap(check.scope, null, {
    log: pino({ level: 'debug' }, { write: (line: string) => logged.push(JSON.parse(line)) }),
    reach,
    observe: () => {},
    mayReach: () => true,
    connect: connectWire,
    router: () => {
      throw new Error('there are no routes here');
    },
  });
  const object = heap.get(declared) as Built[K];
  onTestFinished(() => heap.close());
  return { object, problems, logged, close: () => heap.close() };
}
