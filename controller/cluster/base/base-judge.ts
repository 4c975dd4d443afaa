import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { BaseOpinion } from '../../admission/base-review.ts';
import type { Compilation, Compiler } from '../../compile/compiler.ts';
import type { LastGood } from '../../compile/last-good.ts';
import type { ResourceState } from '../../compile/resources/resource-state.ts';
import { baseFiles } from './base-files.ts';
import { baseProblems } from './base-problems.ts';

const NO_RESOURCES: Omit<ResourceState, 'trust'> = {
  routes: new Map(),
  secretStores: new Map(),
  auditServices: new Map(),
  secrets: new Map(),
  seen: null,
};

/** Returns the verdict of the compiler on a ConfigMap as the base configuration, compared with the serving one. */
export function judgeBase(
  configMap: JsonObject,
  compiler: Pick<Compiler, 'anew'>,
  newest: Pick<Compilation, 'lastGood' | 'resources'>,
): BaseOpinion {
  // a new object has neither a uid nor a version yet
  const metadata = { namespace: '', name: '', ...asObject(configMap['metadata']), uid: 'new', resourceVersion: '0' };
  const files = baseFiles({ ...configMap, metadata }, null);
  if (files === null) return { errors: ['the ConfigMap has no metadata'], warnings: [], breaks: null };
  const { config, admin, trust, strays } = files;
  const compilation = compiler.anew().compile(
    {
      config,
      admin,
      strays,
      directories: new Map(),
      faults: new Map(),
      epoch: 0,
      resources: { ...NO_RESOURCES, trust },
    },
    withoutRoutes(newest.lastGood),
  );
  const { errors, all } = baseProblems(compilation);
  const routes = newest.resources?.verdicts.filter(({ resource }) => resource.kind === 'Route').length ?? 0;
  const routerFault = compilation.resources?.routerFault ?? null;
  const breaks =
    routerFault === null || routes === 0 ? null : `${routerFault}; ${routes} Routes would not be served any more`;
  return {
    errors,
    warnings: [
      ...all.filter((text) => !errors.includes(text)).map((text) => text.replaceAll(/\s*\n\s*/g, ' ')),
      ...(routerFault !== null && routes === 0 ? [routerFault] : []),
      ...files.unused.map((key) => `the key ${key} has no effect`),
    ],
    breaks,
  };
}

function withoutRoutes({ base, resources }: LastGood): LastGood {
  return {
    base,
    routes: new Map(),
    ...(resources === undefined ? {} : { resources: { ...resources, routes: new Map() } }),
  };
}

function asObject(value: JsonObject[string] | undefined): object {
  return typeof value === 'object' && value !== null ? value : {};
}
