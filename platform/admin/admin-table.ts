import { percentDecoded } from '../../contract/percent-decoded.ts';
import type { AdminAnswer } from './admin-answer.ts';
import type { AdminFilter } from './admin-filter.ts';
import type { AdminGuard } from './admin-guard.ts';

/** Request that a guard has admitted. */
export interface AdminCall {
  /** Texts of the path that stand for `{name}`, and for `*` under the name `rest`, without percent-encoding. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Empty for a path that takes no body. */
  readonly body: Buffer;
  readonly method: string;
  /** Path as it was sent. */
  readonly path: string;
  /** Query string as it was sent, without its question mark. */
  readonly search: string;
  /** Scheme and host of the server, as the client names it. */
  readonly origin: string;
  /** Address of the client; empty for a socket of the file system. */
  readonly remoteAddress: string;
  /** Returns the first value of a header by its name in lower case; null if the request does not have it. */
  header(name: string): string | null;
}

/** Row of the table of an admin server: one method of one path. */
export interface AdminPath {
  /** `GET` stands for `HEAD` too, `*` for every method. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | '*';
  /** Such as `/status`, `/units/{unit}/restart`, or `/api/*` for `/api` and everything below. */
  readonly path: string;
  /** Other paths with the same answer. */
  readonly aliases?: readonly string[];
  readonly guard: AdminGuard;
  /** Sees the requests that the guard admits. */
  readonly filter?: AdminFilter | undefined;
  /** Bytes that a body may have; a path without it takes no body. */
  readonly longestBody?: number;
  /** Makes the answer to a request that is refused before it is a call; by default a line of text. */
  refused?(status: number, message: string): AdminAnswer;
  answer(call: AdminCall): AdminAnswer | Promise<AdminAnswer>;
}

/** Everything that the table has for one path. */
export interface AdminPlace {
  readonly rows: readonly AdminPath[];
  readonly parameters: Readonly<Record<string, string>>;
}

interface Pattern {
  readonly expression: RegExp;
  readonly rows: AdminPath[];
}

const NAME = /\{(\w+)\}/g;

/** Table of the paths of an admin server. */
export class AdminTable {
  /** Paths as a reader finds them in the answer to an unknown one. */
  readonly listed: readonly string[];
  private readonly patterns = new Map<string, Pattern>();

  constructor(rows: readonly AdminPath[]) {
    this.listed = [...new Set(rows.map(({ path }) => path.replace(/\/\*$/, '')))];
    for (const row of rows) for (const path of [row.path, ...(row.aliases ?? [])]) this.add(path, row);
  }

  /** Returns the rows of a path, or null when the table does not have it. */
  find(path: string): AdminPlace | null {
    for (const { expression, rows } of this.patterns.values()) {
      const groups = expression.exec(path);
      if (groups === null) continue;
      const found = Object.entries(groups.groups ?? {}).map(([name, text]) => [name, percentDecoded(text ?? '')]);
      return { rows, parameters: Object.fromEntries(found) };
    }
    return null;
  }

  private add(path: string, row: AdminPath): void {
    const known = this.patterns.get(path);
    if (known === undefined) this.patterns.set(path, { expression: expressionFor(path), rows: [row] });
    else if (known.rows.some(({ method }) => method === row.method))
      throw new Error(`${row.method} ${path} is there twice`);
    else known.rows.push(row);
  }
}

/** Returns the methods of a path, as the Allow header names them. */
export function allowedMethods({ rows }: AdminPlace): string {
  return rows.map(({ method }) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ');
}

function expressionFor(path: string): RegExp {
  const isOpen = path.endsWith('/*');
  const source = (isOpen ? path.slice(0, -2) : path)
    .split(NAME)
    .map((part, at) => (at % 2 === 0 ? RegExp.escape(part) : `(?<${part}>[^/]+)`))
    .join('');
  return new RegExp(`^${source}${isOpen ? '(?:/(?<rest>.*))?' : ''}$`);
}
