import { pino } from 'pino';
import { connectWire } from '../../../dataplane/engine/wire/connect.ts';
import type { Parts } from '../../../dataplane/heap/definition.ts';
import type { Built, BuiltKind } from '../../../dataplane/heap/kinds.ts';
import type { PlaneServices } from '../../../dataplane/heap/plane-services.ts';
import { namedMemory } from '../../../dataplane/heap/shared-memory.ts';
import { Gauges } from '../../../dataplane/metrics/gauges.ts';
import { operatorReach } from './operator-reach.ts';

/** What an object is built with, where a test looks at each of its parts. */
export interface ObjectParts {
  readonly parts: Parts;
  /** Log lines that it wrote, parsed. */
  readonly logged: Record<string, unknown>[];
  /** Names of metrics that it counted, with what differs. */
  readonly counted: string[];
  readonly gauges: Gauges;
  close(): Promise<void>;
}

/** Parts whose references of each kind stand for these objects. */
export function objectParts(objects: Partial<Built>, services: Partial<PlaneServices> = {}): ObjectParts {
  const logged: Record<string, unknown>[] = [];
  const counted: string[] = [];
  const gauges = new Gauges();
  const releases: (() => void | Promise<void>)[] = [];
  const plane: PlaneServices = {
    log: pino({ level: 'debug' }, { write: (line: string) => logged.push(JSON.parse(line)) }),
    reach: operatorReach(),
    observe: () => {},
    count: (metric, labels) => counted.push([metric, labels['to']].filter((part) => part !== undefined).join(' ')),
    counter: (metric) => () => counted.push(metric),
    gauge: (metric, labels, read) => gauges.add(metric, labels, read),
    sharedMemory: namedMemory(),
    mayReach: () => true,
    connect: connectWire,
    streaming: true,
    ...services,
  };
  const parts: Parts = {
    type: 'Test',
    name: 'it',
    qualifiedName: 'test.it',
    identity: 'test.it',
    declaration: () => 'test.it',
    resolve: <K extends BuiltKind>({ kind }: { readonly kind: K }): Built[K] => {
      const object = objects[kind];
      if (object === undefined) throw new Error(`there is no ${kind}`);
      return object as Built[K];
    },
    kindOf: ({ kind }) => kind as BuiltKind,
    onClose: (release) => releases.push(release),
    log: plane.log,
    plane,
    scope: 'test',
    route: null,
    realm: '',
    dispatcher: () => {
      throw new Error('there are no routes here');
    },
  };
  return {
    parts,
    logged,
    counted,
    gauges,
    async close() {
      for (const release of releases.splice(0).reverse()) await release();
    },
  };
}
