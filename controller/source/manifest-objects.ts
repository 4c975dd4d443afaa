import type { DocumentText, PlacedProblem } from '../../contract/document/document-text.ts';
import { readJsonText } from '../../contract/document/json-text.ts';
import { isJsonObject, type JsonObject, kindOf } from '../../contract/document/json-value.ts';
import { readYamlTexts } from '../../contract/document/yaml-text.ts';
import type { SourceFile } from '../compile/source-file.ts';

/** An object of Kubernetes as a file has it. */
export interface ManifestObject {
  readonly file: SourceFile;
  readonly value: JsonObject;
  /** Where a path into the object is in the file. */
  readonly placeOf: DocumentText['placeOf'];
}

/** Content of a file of manifests. */
export interface ManifestFile {
  readonly objects: readonly ManifestObject[];
  /** What is wrong with its text. */
  readonly problems: readonly PlacedProblem[];
}

/** Reads manifests as `kubectl` does: several documents in one file, JSON, and lists whose items count one by one. */
export function manifestObjects(file: SourceFile): ManifestFile {
  if (file.fault !== undefined) {
    const message = `the file cannot be read: ${file.fault}`;
    return { objects: [], problems: [{ code: 'text', severity: 'error', path: [], message }] };
  }
  const texts = /\.json$/i.test(file.path) ? [readJsonText(file.content)] : readYamlTexts(file.content);
  const objects: ManifestObject[] = [];
  const problems: PlacedProblem[] = [];
  for (const text of texts) {
    problems.push(...text.problems.map((problem) => placed(problem, text)));
    if (text.problems.some(({ severity }) => severity === 'error')) continue;
    if (isJsonObject(text.value)) objects.push(...itemsOf({ file, value: text.value, placeOf: text.placeOf }));
    else {
      const message = `must be an object, not ${kindOf(text.value)}`;
      problems.push(placed({ code: 'value', severity: 'error', path: [], message }, text));
    }
  }
  return { objects, problems };
}

/** Whether a text is meant for Kubernetes: it says of which version and kind its objects are. */
export function looksLikeManifest(file: SourceFile): boolean {
  const { objects, problems } = manifestObjects(file);
  if (objects.some(({ value }) => typeof value['apiVersion'] === 'string' && typeof value['kind'] === 'string'))
    return true;
  return problems.length > 0 && /^[\s{]*"?apiVersion"?\s*:/m.test(new TextDecoder().decode(file.content));
}

function itemsOf(object: ManifestObject): ManifestObject[] {
  const { kind, items } = object.value;
  if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items)) return [object];
  return items.flatMap((item, at): ManifestObject[] =>
    isJsonObject(item)
      ? itemsOf({ ...object, value: item, placeOf: (path, part) => object.placeOf(['items', at, ...path], part) })
      : [],
  );
}

function placed(problem: PlacedProblem, { placeOf }: DocumentText): PlacedProblem {
  const place = problem.place ?? placeOf(problem.path);
  return place === undefined ? problem : { ...problem, place };
}
