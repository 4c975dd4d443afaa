import { hash, randomBytes } from 'node:crypto';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { EndpointDescription } from '../../contract/crest/describe/description.ts';
import type { Resource } from '../../contract/crest/resource.ts';
import { isJsonObject, type JsonObject, jsonObjectIn } from '../../contract/document/json-value.ts';
import { listOf, objectOf, textOf } from '../../contract/document/lenient-parts.ts';
import type { RouteKey } from '../../contract/snapshot.ts';
import { errorCode } from '../../platform/error-code.ts';
import type { RouteSecrets } from './route-secrets.ts';

/** A version of a route that was made over HTTP, or that such a change replaced. */
export type RouteVersion = {
  /** Counts the versions of the route. */
  readonly number: number;
  /** When it was made, in ISO 8601. */
  readonly at: string;
  /** `file` for a version that a file had before it was changed over HTTP. */
  readonly operation: 'create' | 'update' | 'patch' | 'delete' | 'file';
  readonly transactionId: string | null;
  /** The document with its secrets; of a deletion the one that was deleted. */
  readonly document: JsonObject;
};

/** A route whose newest version is a deletion. */
export interface DeletedRoute extends RouteKey {
  /** When it was deleted, in ISO 8601. */
  readonly at: string;
}

export interface RouteVersionsOptions {
  /** Directory for the versions, which is made when there is one to keep. */
  readonly directory: string;
  /** Called when versions cannot be read or written. The change of the route stays. */
  failed(error: unknown, route: RouteKey): void;
  /** Bytes of all versions of all routes. */
  readonly mostBytes?: number;
}

/** A change that was made. */
export interface MadeChange {
  readonly operation: Exclude<RouteVersion['operation'], 'file'>;
  readonly transactionId: string | null;
  /** The document before, and when its file was written; null for a new route. */
  readonly before: { readonly document: JsonObject; readonly at: Date } | null;
  /** The document now; of a deletion the one that was deleted. */
  readonly document: JsonObject;
}

export const MOST_VERSIONS = 20;
/** Characters of all versions of one route. */
const MOST_TEXT = 4 * 1024 * 1024;
/** Routes with versions; those that were changed longest ago are forgotten. */
const MOST_ROUTES = 1000;
/** Bytes of all versions of all routes; those that were changed longest ago are forgotten. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Bytes at the beginning of a file that tell which route it is about, and its newest change. */
const HEAD = 4096;
/** Milliseconds after which a file that was not renamed is what a process left behind that ended. */
const LEFT_BEHIND = 60_000;

const text = { type: 'string' };

export const ROUTE_VERSION: EndpointDescription = {
  name: 'route-version',
  title: 'Versions of a route',
  description: `The last ${MOST_VERSIONS} versions of a route that was changed over HTTP, without secrets. Read-only.`,
  hasRevisions: false,
  schema: () => ({
    schema: {
      type: 'object',
      properties: {
        number: { type: 'integer' },
        at: text,
        operation: { type: 'string', enum: ['create', 'update', 'patch', 'delete', 'file'] },
        transactionId: { type: ['string', 'null'] },
        by: {
          type: ['string', 'null'],
          description: 'Field manager that made it, such as kubectl-edit; in a cluster only.',
        },
        document: { type: 'object' },
      },
    },
    definitions: {},
  }),
};

/**
 * Keeps the last versions of routes, one file for each route. Only this user can read the files, because documents may
 * contain secrets.
 */
export class RouteVersions {
  private readonly options: RouteVersionsOptions;

  constructor(options: RouteVersionsOptions) {
    this.options = options;
  }

  /** Returns the versions of a route, the oldest first. */
  of(route: RouteKey): readonly RouteVersion[] {
    try {
      return versionsIn(readFileSync(this.pathOf(route), 'utf8'), route);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') this.options.failed(error, route);
      return [];
    }
  }

  /** Keeps a version, and the one before if nobody has kept it. */
  add(route: RouteKey, { operation, transactionId, before, document }: MadeChange): void {
    const known = this.of(route);
    const last = known.at(-1);
    const isKept =
      before === null ||
      (last !== undefined && last.operation !== 'delete' && sameDocument(last.document, before.document));
    const next = (last?.number ?? 0) + 1;
    const file = isKept
      ? []
      : [
          {
            ...{ number: next, at: before.at.toISOString(), operation: 'file' as const, transactionId: null },
            document: before.document,
          },
        ];
    const made = { number: next + file.length, at: new Date().toISOString(), operation, transactionId, document };
    try {
      this.write(route, bounded([...known, ...file, made]));
    } catch (error) {
      this.options.failed(error, route);
    }
  }

  /** Returns the routes that were deleted over HTTP, the last one first. Some of them may be there again as files. */
  deleted(): readonly DeletedRoute[] {
    const found = this.files().flatMap(({ path }) => deletionIn(headOf(path)) ?? []);
    return found.sort((a, b) => (a.at < b.at ? 1 : -1));
  }

  private write({ router, id }: RouteKey, versions: readonly RouteVersion[]): void {
    const path = this.pathOf({ router, id });
    const { operation, at } = versions.at(-1)!;
    const text = `${JSON.stringify({ router, route: id, newest: { operation, at }, versions }, null, 1)}\n`;
    mkdirSync(this.options.directory, { recursive: true, mode: 0o700 });
    this.forgetOldest(path, Buffer.byteLength(text));
    const temporary = `${path}.${randomBytes(6).toString('hex')}`;
    try {
      writeFileSync(temporary, text, { mode: 0o600 });
      renameSync(temporary, path);
    } finally {
      rmSync(temporary, { force: true });
    }
  }

  /** Makes room for a file. */
  private forgetOldest(path: string, size: number): void {
    const others = this.files().filter((one) => one.path !== path);
    let [count, bytes] = [others.length + 1, size];
    for (const one of others) bytes += one.size;
    for (const oldest of others.sort((a, b) => a.writtenAt - b.writtenAt)) {
      if (count <= MOST_ROUTES && bytes <= (this.options.mostBytes ?? MOST_BYTES)) return;
      rmSync(oldest.path, { force: true });
      count--;
      bytes -= oldest.size;
    }
  }

  /** Files with versions. Those that a process left behind unfinished are removed. */
  private files(): { readonly path: string; readonly size: number; readonly writtenAt: number }[] {
    const { directory } = this.options;
    return entriesOf(directory).flatMap((name) => {
      const path = join(directory, name);
      // Another gateway of the instance may have removed it.
      const { size = 0, mtimeMs: writtenAt = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
      if (name.endsWith('.json')) return [{ path, size, writtenAt }];
      if (UNFINISHED.test(name) && writtenAt < Date.now() - LEFT_BEHIND) rmSync(path, { force: true });
      return [];
    });
  }

  /** Ids of routes may be longer than names of files, and may differ in case only. */
  private pathOf({ router, id }: RouteKey): string {
    return join(this.options.directory, `${hash('sha256', JSON.stringify([router, id]), 'hex').slice(0, 40)}.json`);
  }
}

const UNFINISHED = /\.json\.[0-9a-f]{12}$/;

/** Names of the files in a directory; none without the directory. */
function entriesOf(directory: string): string[] {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    return entries.filter((one) => one.isFile()).map(({ name }) => name);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw error;
  }
}

/** The beginning of a file; empty if it cannot be read. */
function headOf(path: string): string {
  try {
    const file = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(HEAD);
      return bytes.toString('utf8', 0, readSync(file, bytes, 0, HEAD, 0));
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}

/** Reads the members before the versions. @returns null if the route is not deleted, or if they do not tell */
function deletionIn(head: string): DeletedRoute | null {
  const end = head.indexOf(',\n "versions": [');
  const { router, route, newest } = (end < 0 ? null : jsonObjectIn(`${head.slice(0, end)}}`)) ?? {};
  const { operation, at } = objectOf(newest);
  if (operation !== 'delete' || typeof router !== 'string' || typeof route !== 'string') return null;
  return { router, id: route, at: textOf(at) };
}

/** Returns versions as resources without secrets. @param now the document of the route; null if there is none */
export function shownVersions(
  versions: readonly RouteVersion[],
  id: string,
  now: JsonObject | null,
  secrets: RouteSecrets,
): (Resource & { readonly id: string })[] {
  return versions.map(({ document, ...facts }) => {
    const { _id, ...content } = secrets.shownVersion(id, document, now);
    return { id: String(facts.number), revision: null, content: { ...facts, by: null, document: content } };
  });
}

function versionsIn(given: string, { router, id }: RouteKey): readonly RouteVersion[] {
  const content = jsonObjectIn(given);
  if (content === null || content['router'] !== router || content['route'] !== id) {
    throw new Error('the file does not hold the versions of this route');
  }
  const versions = listOf(content['versions']).filter((one) => isJsonObject(one) && isJsonObject(one['document']));
  return versions as unknown as readonly RouteVersion[];
}

/** The newest versions, as many as may be kept; at least one. */
function bounded(versions: readonly RouteVersion[]): readonly RouteVersion[] {
  let size = 0;
  const kept = versions.toReversed().filter((version, at) => {
    size += JSON.stringify(version).length;
    return at === 0 || (at < MOST_VERSIONS && size <= MOST_TEXT);
  });
  return kept.reverse();
}

function sameDocument(one: JsonObject, other: JsonObject): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
