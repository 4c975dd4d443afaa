import { isJsonObject, type JsonObject } from '../../../contract/document/json-value.ts';
import type { SourceVersion } from '../../../contract/snapshot.ts';
import type { StrayFile } from '../../compile/instance-state.ts';
import { type SourceFile, sameContent } from '../../compile/source-file.ts';

const NAMES = ['config.json', 'admin.json', 'trust.json'] as const;
type BaseName = (typeof NAMES)[number];

/** The base configuration: what the keys of a ConfigMap hold. The same object is the same content. */
export interface BaseFiles {
  readonly config: SourceFile | null;
  readonly admin: SourceFile | null;
  readonly trust: SourceFile | null;
  /** Keys that somebody may think are read. */
  readonly strays: readonly StrayFile[];
  /** Other keys, which have no effect. */
  readonly unused: readonly string[];
  /** The ConfigMap; null when there is none. */
  readonly source: SourceVersion | null;
}

export const NO_BASE_FILES: BaseFiles = {
  config: null,
  admin: null,
  trust: null,
  strays: [],
  unused: [],
  source: null,
};

/** Reads a ConfigMap. Files with the same content as before stay the same objects. */
export function baseFiles(raw: JsonObject, before: BaseFiles | null): BaseFiles | null {
  const { metadata } = raw;
  if (!isJsonObject(metadata)) return null;
  const { namespace, name, uid, resourceVersion } = metadata;
  if (typeof uid !== 'string' || typeof resourceVersion !== 'string') return null;
  const files = filesOf(raw, `${String(namespace)}/${String(name)}`);
  const kept = (key: BaseName, last: SourceFile | null): SourceFile | null => {
    const file = files.get(key) ?? null;
    return file !== null && last !== null && sameContent(file, last) ? last : file;
  };
  const strays: StrayFile[] = [];
  const unused: string[] = [];
  for (const [key, file] of files) {
    const instead = NAMES.find((one) => one === `${key.slice(0, key.lastIndexOf('.')).toLowerCase()}.json`);
    if (NAMES.some((one) => one === key)) continue;
    if (instead === undefined) unused.push(key);
    else strays.push({ file, instead, isThere: files.has(instead) });
  }
  return {
    config: kept('config.json', before?.config ?? null),
    admin: kept('admin.json', before?.admin ?? null),
    trust: kept('trust.json', before?.trust ?? null),
    strays,
    unused,
    source: { uid, resourceVersion },
  };
}

function filesOf({ data, binaryData }: JsonObject, folder: string): Map<string, SourceFile> {
  const files = new Map<string, SourceFile>();
  const add = (values: JsonObject[string] | undefined, encoding: 'utf8' | 'base64'): void => {
    if (!isJsonObject(values)) return;
    for (const [key, value] of Object.entries(values)) {
      if (typeof value === 'string')
        files.set(key, { path: `${folder}/${key}`, content: Buffer.from(value, encoding) });
    }
  };
  add(data, 'utf8');
  add(binaryData, 'base64');
  return files;
}
