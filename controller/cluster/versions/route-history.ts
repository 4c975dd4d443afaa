import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
import { boundsProblem } from '../../../contract/document/document-bounds.ts';
import { containersIn } from '../../../contract/document/json-containers.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import { listOf, objectOf, textOf } from '../../../contract/document/lenient-parts.ts';
import { replaceSecrets } from '../../../contract/hiding/secret-fields.ts';
import { GROUP, type Resource, type SpecChange, VERSION } from '../../../contract/resources/resource.ts';
import { type ResourcePlace, resourcePath } from '../api/resource-path.ts';

/** A version of a Route. */
export interface KeptVersion {
  readonly generation: number;
  /** Null if the fields of the Route did not tell. */
  readonly changed: SpecChange | null;
  /** The spec; null stands for each secret that was written into it. */
  readonly document: JsonObject;
}

/** The versions of a Route as a RouteHistory has them. */
export interface RouteHistory {
  /** Uid of the Route: one that was deleted and created again begins anew. */
  readonly route: string;
  /** Empty for a history that is not in the cluster yet. */
  readonly resourceVersion: string;
  /** The oldest first. */
  readonly versions: readonly KeptVersion[];
}

/** Annotation with the generation of the newest version, so that a list of metadata tells what is missing. */
export const NEWEST = `${GROUP}/newest-generation`;
/** Characters of all versions of one Route, and bytes once compressed: an object of the cluster has at most 1.5 MiB. */
const MOST_TEXT = 1024 * 1024;
const MOST_BYTES = 256 * 1024;
/** Versions and containers in a history; more were written by somebody else, to fill the memory. */
const MOST_VERSIONS = 50;
const MOST_CONTAINERS = 400_000;
/** Versions resemble each other, so that a large window makes them small. */
const COMPRESSION = { params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 22 } };

const compress = promisify(brotliCompress) as (text: string, options: object) => Promise<Buffer>;
const decompress = promisify(brotliDecompress) as (data: Buffer, options: object) => Promise<Buffer>;

/** Returns the path of histories: of one Route, of a namespace, or of all namespaces. */
export function historyPath(place: Pick<ResourcePlace, 'namespace' | 'name'>): string {
  return resourcePath({ group: GROUP, version: VERSION, plural: 'routehistories', ...place });
}

/** Returns the newest version of a Route, without secrets. */
export function versionOf({ generation, changed, spec }: Resource): KeptVersion {
  return { generation, changed: changed ?? null, document: replaceSecrets(spec, () => null) };
}

/**
 * Returns the versions with more of them, as many as may be kept. A version that says the same as the one before is left
 * out.
 */
export function withVersions(
  before: readonly KeptVersion[],
  added: readonly KeptVersion[],
  most: number,
): readonly KeptVersion[] {
  const all = [...before];
  for (const version of added.toSorted((a, b) => a.generation - b.generation)) {
    const last = all.at(-1);
    const isNewer = last === undefined || version.generation > last.generation;
    if (isNewer && JSON.stringify(last?.document) !== JSON.stringify(version.document)) all.push(version);
  }
  return all.length === before.length ? before : all.slice(-most);
}

/** Returns a RouteHistory for the cluster. Of versions that take too much room the oldest are left out. */
export async function historyObject(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { route, resourceVersion, versions }: RouteHistory,
): Promise<JsonObject> {
  let kept = withinText(versions).versions;
  let data = await compress(JSON.stringify(kept), COMPRESSION);
  while (data.length > MOST_BYTES && kept.length > 1) {
    kept = kept.slice(Math.ceil(kept.length / 4));
    data = await compress(JSON.stringify(kept), COMPRESSION);
  }
  const newest = kept.at(-1);
  return {
    apiVersion: `${GROUP}/${VERSION}`,
    kind: 'RouteHistory',
    metadata: {
      ...{ namespace, name },
      ...(resourceVersion === '' ? {} : { resourceVersion }),
      annotations: { [NEWEST]: String(newest?.generation ?? 0) },
      ownerReferences: [{ apiVersion: `${GROUP}/${VERSION}`, kind: 'Route', name, uid: route }],
    },
    count: kept.length,
    newest: {
      generation: newest?.generation ?? 0,
      ...(newest?.changed ? { at: newest.changed.at, by: newest.changed.manager } : {}),
    },
    data: data.toString('base64'),
  };
}

/** Returns the uid of the Route that a history is about, and the generation of its newest version. */
export function historyFacts(object: JsonObject): {
  readonly namespace: string;
  readonly name: string;
  readonly route: string;
  readonly newest: number;
} {
  const metadata = objectOf(object['metadata']);
  const [owner] = listOf(metadata['ownerReferences']);
  return {
    namespace: textOf(metadata['namespace']),
    name: textOf(metadata['name']),
    route: textOf(objectOf(owner)['uid']),
    newest: Number(textOf(objectOf(metadata['annotations'])[NEWEST]) || '0'),
  };
}

/** Reads a RouteHistory. One that cannot be read has no versions, and the next one replaces it. */
export async function readHistory(object: JsonObject): Promise<RouteHistory> {
  const { route } = historyFacts(object);
  const resourceVersion = textOf(objectOf(object['metadata'])['resourceVersion']);
  return { route, resourceVersion, versions: await versionsIn(textOf(object['data'])) };
}

async function versionsIn(data: string): Promise<readonly KeptVersion[]> {
  try {
    // Some characters are written as several bytes.
    const text = await decompress(Buffer.from(data, 'base64'), { maxOutputLength: 4 * MOST_TEXT });
    if (containersIn(text) > MOST_CONTAINERS) return [];
    return listOf(JSON.parse(text.toString('utf8')) as JsonValue)
      .slice(-MOST_VERSIONS)
      .flatMap((one) => {
        if (!isJsonObject(one) || !isJsonObject(one['document']) || !isGeneration(one['generation'])) return [];
        // Later steps walk the document.
        if (boundsProblem(one['document']) !== null) return [];
        const { at, manager } = objectOf(one['changed']);
        const changed = typeof at === 'string' && typeof manager === 'string' ? { at, manager } : null;
        return [{ generation: one['generation'], changed, document: one['document'] }];
      });
  } catch {
    return [];
  }
}

function isGeneration(value: JsonValue | undefined): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Returns the newest versions that have room in a history, and the number of their characters. */
export function withinText(versions: readonly KeptVersion[]): {
  readonly versions: readonly KeptVersion[];
  readonly characters: number;
} {
  const kept: KeptVersion[] = [];
  let characters = 0;
  for (const version of versions.toReversed()) {
    const { length } = JSON.stringify(version);
    if (kept.length > 0 && characters + length > MOST_TEXT) break;
    characters += length;
    kept.push(version);
  }
  return { versions: kept.reverse(), characters };
}
