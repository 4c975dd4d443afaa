import type { DocumentText } from '../../contract/document/document-text.ts';
import { readJsonText } from '../../contract/document/json-text.ts';
import { readYamlText } from '../../contract/document/yaml-text.ts';
import type { SourceFile } from './source-file.ts';

/** Whether a file's name is that of a document. */
export function isDocumentName(name: string): boolean {
  return /^[^.].*\.(?:json|ya?ml)$/i.test(name);
}

/** What was read of a file a moment ago: a change is looked at, compiled and reported one after the other. */
const read = new WeakMap<SourceFile, WeakRef<DocumentText>>();

/** Reads the text of a file: YAML or JSON, by its name. */
export function documentOf(file: SourceFile): DocumentText {
  const known = read.get(file)?.deref();
  if (known !== undefined) return known;
  const text = readDocument(file);
  read.set(file, new WeakRef(text));
  return text;
}

function readDocument({ path, content, fault }: SourceFile): DocumentText {
  if (fault !== undefined) {
    const message = `the file cannot be read: ${fault}`;
    return {
      value: null,
      problems: [{ code: 'text', severity: 'error', path: [], message }],
      placeOf: () => undefined,
    };
  }
  return /\.ya?ml$/i.test(path) ? readYamlText(content) : readJsonText(content);
}
