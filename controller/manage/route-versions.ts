import { hash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EndpointDescription } from '../../contract/crest/describe/description.ts';
import type { Resource } from '../../contract/crest/resource.ts';
import { isJsonObject, type JsonObject, jsonObjectIn } from '../../contract/document/json-value.ts';
import { listOf } from '../../contract/document/lenient-parts.ts';
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

export interface RouteVersionsOptions {
  /** Directory for the versions, which is made when there is one to keep. */
  readonly directory: string;
  /** Called when versions cannot be read or written. The change of the route stays. */
  failed(error: unknown, route: RouteKey): void;
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

  private write({ router, id }: RouteKey, versions: readonly RouteVersion[]): void {
    const { directory } = this.options;
    const path = this.pathOf({ router, id });
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.forgetOldest(path);
    const temporary = `${path}.${randomBytes(6).toString('hex')}`;
    try {
      writeFileSync(temporary, `${JSON.stringify({ router, route: id, versions }, null, 1)}\n`, { mode: 0o600 });
      renameSync(temporary, path);
    } finally {
      rmSync(temporary, { force: true });
    }
  }

  /** Makes room for one more route. */
  private forgetOldest(path: string): void {
    const { directory } = this.options;
    const paths = readdirSync(directory, { withFileTypes: true })
      .filter((one) => one.isFile() && one.name.endsWith('.json'))
      .map(({ name }) => join(directory, name));
    if (paths.length < MOST_ROUTES || paths.includes(path)) return;
    // Another gateway of the instance may have removed one.
    const writtenAt = (one: string): number => statSync(one, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const byAge = paths.map((one) => [writtenAt(one), one] as const).sort(([a], [b]) => a - b);
    for (const [, oldest] of byAge.slice(0, paths.length - MOST_ROUTES + 1)) rmSync(oldest, { force: true });
  }

  /** Ids of routes may be longer than names of files, and may differ in case only. */
  private pathOf({ router, id }: RouteKey): string {
    return join(this.options.directory, `${hash('sha256', JSON.stringify([router, id]), 'hex').slice(0, 40)}.json`);
  }
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
    return { id: String(facts.number), revision: null, content: { ...facts, document: content } };
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
