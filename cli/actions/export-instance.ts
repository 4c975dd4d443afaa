import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import { type Path, pathText } from '../../contract/problem.ts';
import { defaultConfiguration } from '../../controller/compile/default-configuration.ts';
import { nothingGood } from '../../controller/compile/last-good.ts';
import { documentResolver } from '../../controller/compile/resolve-document.ts';
import type { SourceFile } from '../../controller/compile/source-file.ts';
import { exportedInstance, type InstanceRoute } from '../../controller/export/exported-instance.ts';
import { compileSource } from '../../controller/live-instance.ts';
import { operatorReach } from '../../dataplane/unit/operator-reach.ts';
import { shownPath } from '../output/verdict-text.ts';
import { allVerdicts, givenLayout, openInstance } from './open-instance.ts';

export interface InstanceExportOptions {
  readonly system: Readonly<Record<string, string>>;
  readonly namespace: string;
  /** Name of the ConfigMap. */
  readonly baseName: string;
  readonly includesSecrets: boolean;
}

/** Manifests, and what of the instance is not in them. */
export interface ExportedManifests {
  /** By the name that a file for it would have. */
  readonly files: ReadonlyMap<string, string>;
  /** Whether a ConfigMap is among them. */
  readonly hasBase: boolean;
  readonly remarks: readonly string[];
}

/** The router that Routes are routes of. */
const ROUTER = 'gateway._router';

/** Writes an instance as manifests. @throws Error when there is none */
export function exportInstance(path: string, options: InstanceExportOptions): ExportedManifests {
  const { system, ...how } = options;
  const instance = openInstance(givenLayout(path, system), { system });
  const compilation = compileSource(instance.compiler, instance.source, nothingGood);
  const { config, admin } = { config: instance.source.state.config, admin: instance.source.admin };
  instance.source.close();
  const { checker, tokens } = instance.judging;
  const resolve = documentResolver(tokens, (text, constants) => checker.evaluate(text, constants));
  const resolvedBase = config === null ? null : resolve(config, null);
  const base = checker.base(resolvedBase?.document ?? defaultConfiguration);
  const routes = allVerdicts(instance, compilation).filter(({ role }) => role === 'route');
  const isCarried = ({ route }: (typeof routes)[number]): boolean => route?.router === ROUTER;
  const trust = join(instance.layout.config, 'trust.json');
  const files = new Map<'config.json' | 'admin.json' | 'trust.json', SourceFile>();
  if (config !== null) files.set('config.json', shown(config));
  if (admin !== null) files.set('admin.json', shown(admin));
  if (existsSync(trust)) files.set('trust.json', shown({ path: trust, content: readFileSync(trust) }));
  const { objects, remarks } = exportedInstance({
    ...how,
    reach: operatorReach(instance.reach),
    files,
    routes: routes.flatMap(({ file, route }): InstanceRoute[] =>
      route === null || route.router !== ROUTER ? [] : [{ file: shown(file), id: route.id, name: route.name }],
    ),
    router: base.routers.find(({ name }) => name === ROUTER) ?? null,
    isSoundBase: (document) => checker.base(document).sound,
    resolve: (file, role) => resolve(file, role === 'config' ? null : (resolvedBase?.properties ?? null)),
  });
  const isEmptyBase = ({ kind, data }: JsonObject): boolean =>
    kind === 'ConfigMap' && isJsonObject(data) && Object.keys(data).length === 0;
  const kept = objects.filter((object) => !isEmptyBase(object));
  const texts = kept.find(({ kind }) => kind === 'ConfigMap')?.['data'] ?? {};
  const carried = (file: SourceFile, name: string): JsonValue => {
    const text = isJsonObject(texts) ? texts[name] : undefined;
    return typeof text === 'string' ? resolve({ ...file, content: Buffer.from(text) }, null).document : null;
  };
  return {
    files: new Map(kept.map((object) => [fileName(object), stringify(object, { lineWidth: 0 })])),
    hasBase: kept.some(({ kind }) => kind === 'ConfigMap'),
    remarks: [
      ...remarks,
      ...routes
        .filter((verdict) => !isCarried(verdict))
        .map(({ file, route }) =>
          route === null
            ? `${shownPath(file.path)}: is not a route; it is not exported`
            : `${shownPath(file.path)}: belongs to the router ${route.router}; only routes of ${ROUTER} are exported`,
        ),
      ...[...files].flatMap(([name, file]) => placesOnMachine(carried(file, name), name)),
    ],
  };
}

function shown(file: SourceFile): SourceFile {
  return { ...file, path: shownPath(file.path) };
}

function fileName({ kind, metadata }: JsonObject): string {
  return `${String(kind).toLowerCase()}-${isJsonObject(metadata) ? String(metadata['name']) : ''}.yaml`;
}

const PLACES: ReadonlySet<string> = new Set(['directory', 'directories', 'file']);

/** Files and directories that objects of the base configuration use: planes need them in the same places. */
function placesOnMachine(value: JsonValue, file: string, path: Path = []): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const members = Object.entries(value as JsonObject);
  return members.flatMap(([key, member]) => {
    const here = [...path, Array.isArray(value) ? Number(key) : key];
    const isPlace =
      PLACES.has(key) && path.at(-1) === 'config' && (typeof member === 'string' || Array.isArray(member));
    return isPlace
      ? [`${file}: ${pathText(here)} names a path on this machine, which data planes need as well`]
      : placesOnMachine(member, file, here);
  });
}
