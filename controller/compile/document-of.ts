import type { DocumentText } from '../../contract/document/document-text.ts';
import { readJsonText } from '../../contract/document/json-text.ts';
import { readYamlText } from '../../contract/document/yaml-text.ts';
import type { SourceFile } from './source-file.ts';

/** Whether a file's name is that of a document. */
export function isDocumentName(name: string): boolean {
  return /^[^.].*\.(?:json|ya?ml)$/i.test(name);
}

/** Reads the text of a file: YAML or JSON, by its name. */
export function documentOf({ path, content, fault }: SourceFile): DocumentText {
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
