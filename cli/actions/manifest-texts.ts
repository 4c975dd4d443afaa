import { isScalar } from 'yaml';
import type { DocumentText } from '../../contract/document/document-text.ts';
import { readJsonText } from '../../contract/document/json-text.ts';
import { decodeText } from '../../contract/document/utf8-text.ts';
import { parseYaml } from '../../contract/document/yaml-parse.ts';
import { readYamlTexts } from '../../contract/document/yaml-text.ts';
import type { SourceFile } from '../../controller/compile/source-file.ts';

/** One document of a file of manifests, with the text that it stands in. */
export interface ManifestText {
  readonly text: string;
  readonly isJson: boolean;
  /** Null for a piece that holds no document. */
  readonly read: DocumentText | null;
}

/** The documents of a file; their texts one after the other are that of the file. */
export function manifestTexts({ path, content }: SourceFile): readonly ManifestText[] {
  const decoded = decodeText(content);
  const text = 'text' in decoded ? decoded.text : '';
  if (/\.json$/i.test(path) || /^\s*[{[]/.test(text)) return [{ text, isJson: true, read: readJsonText(content) }];
  const all = readYamlTexts(content);
  const documents = parseYaml(text) ?? [];
  const isUnsound = all.some(({ problems }) => problems.some(({ severity }) => severity === 'error'));
  // what is not sound is told about and not written
  if (isUnsound) return all.map((read) => ({ text: '', isJson: false, read }));
  const starts = documents.map(({ range }, at) => (at === 0 ? 0 : range[0]));
  let next = 0;
  return documents.map(({ contents }, at) => {
    const isEmpty = contents === null || (isScalar(contents) && contents.value === null && contents.source === '');
    const read = isEmpty ? null : (all[next++] ?? null);
    return { text: text.slice(starts[at], starts[at + 1]), isJson: false, read };
  });
}
