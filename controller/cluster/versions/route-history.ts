import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants } from 'node:zlib';
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
const MOST_TEXT = 4 * 1024 * 1024;
const MOST_BYTES = 256 * 1024;
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
  let kept = withinText(versions);
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
    return listOf(JSON.parse(text.toString('utf8')) as JsonValue).flatMap((one) => {
      if (!isJsonObject(one) || !isJsonObject(one['document']) || typeof one['generation'] !== 'number') return [];
      const { at, manager } = objectOf(one['changed']);
      const changed = typeof at === 'string' && typeof manager === 'string' ? { at, manager } : null;
      return [{ generation: one['generation'], changed, document: one['document'] }];
    });
  } catch {
    return [];
  }
}

function withinText(versions: readonly KeptVersion[]): readonly KeptVersion[] {
  let size = 0;
  const kept = versions.toReversed().filter((version, at) => {
    size += JSON.stringify(version).length;
    return at === 0 || size <= MOST_TEXT;
  });
  return kept.reverse();
}
