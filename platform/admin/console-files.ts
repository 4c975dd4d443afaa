import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { errorCode } from '../error-code.ts';

/** A file of the console, ready to be sent. */
export interface ConsoleFile {
  /** Media type. */
  readonly type: string;
  readonly content: Buffer;
  readonly compressed: Buffer;
  /** Quoted, as in the header. */
  readonly tag: string;
}

/** Files of the console by their names, such as `index.html` and `assets/console-1a2b.js`. */
export type ConsoleTable = ReadonlyMap<string, ConsoleFile>;

/** Form of the file that has all others: media type and text by name. */
type PackedConsole = Readonly<Record<string, { readonly type: string; readonly text: string }>>;

const compress = promisify(gzip);

/** Files of the console, from one packed file: nothing else of the disk can be reached by a path. */
export class ConsoleFiles {
  private readonly path: URL;
  private loaded: { readonly at: number; readonly table: Promise<ConsoleTable> } | null = null;

  /** @param path the packed file, which is read when somebody opens the console */
  constructor(path: URL) {
    this.path = path;
  }

  /** Returns the files, which are read again when they have been built again; null if nobody has built them. */
  async table(): Promise<ConsoleTable | null> {
    const at = await this.builtAt();
    if (at === null) return null;
    if (this.loaded?.at !== at) this.loaded = { at, table: readTable(this.path) };
    const { loaded } = this;
    return loaded.table.catch((error: unknown) => {
      if (this.loaded === loaded) this.loaded = null;
      throw error;
    });
  }

  private async builtAt(): Promise<number | null> {
    try {
      return (await stat(this.path)).mtimeMs;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return null;
      throw error;
    }
  }
}

async function readTable(path: URL): Promise<ConsoleTable> {
  const packed = JSON.parse(await readFile(path, 'utf8')) as PackedConsole;
  const files = Object.entries(packed).map(async ([name, { type, text }]): Promise<[string, ConsoleFile]> => {
    const content = Buffer.from(text);
    const tag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
    return [name, { type, content, compressed: await compress(content, { level: 9 }), tag }];
  });
  return new Map(await Promise.all(files));
}
