import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/document/json-value.ts';
import type { Path } from '../../contract/problem.ts';
import { problemText } from '../../contract/problem-text.ts';
import type { SourceFile } from '../../controller/compile/source-file.ts';
import { injectObject } from '../../controller/injection/inject-object.ts';
import type { InjectionTerms } from '../../controller/injection/inject-pod.ts';
import { type Addition, withAdditions } from '../../controller/injection/pod-patch.ts';
import { objectLabel } from '../../controller/source/manifest-verdicts.ts';
import { errorText } from '../../platform/error-text.ts';
import { insertYaml } from './insert-yaml.ts';
import { type ManifestText, manifestTexts } from './manifest-texts.ts';

export interface ManifestInjection {
  /** The files with sidecars in them, one after the other; null when something is wrong. */
  readonly text: string | null;
  /** What is wrong, and what their writer should know. */
  readonly said: readonly string[];
}

/** Puts sidecars into all Pods that manifests make. @param terms the namespace is that of objects that name none */
export function injectManifests(files: readonly SourceFile[], terms: InjectionTerms): ManifestInjection {
  const said: string[] = [];
  let isSound = true;
  const texts = files.map((file) =>
    manifestTexts(file)
      .map((one) => injectedText(file, one))
      .join(''),
  );
  return { text: isSound ? joined(texts) : null, said };

  function injectedText(file: SourceFile, manifest: ManifestText): string {
    const { read, text } = manifest;
    for (const problem of read?.problems ?? []) {
      tell(problemText(problem, { file: file.path }), problem.severity === 'error');
    }
    const additions = objectsIn(read?.value ?? null, []).flatMap(({ value, path }) =>
      additionsFor(value, path, file, manifest),
    );
    if (additions.length === 0) return text;
    try {
      return manifest.isJson ? changedJson(read?.value, additions) : insertYaml(text, additions);
    } catch (error) {
      tell(`error: ${file.path}: ${errorText(error)}`, true);
      return text;
    }
  }

  function additionsFor(value: JsonObject, path: Path, file: SourceFile, { read }: ManifestText): readonly Addition[] {
    const placeOf = (place: Path) => read?.placeOf([...path, ...place]);
    const label = objectLabel({ file, value, placeOf });
    const injection = injectObject(value, { ...terms, namespace: namespaceOf(value) ?? terms.namespace });
    switch (injection?.outcome) {
      case 'left-alone':
        tell(`note: ${label} gets no sidecar: ${injection.why}`, false);
        return [];
      case 'refused':
        for (const one of injection.problems) tell(problemText(one, { label, file: file.path, placeOf }), true);
        return [];
      case 'injected':
        for (const warning of injection.warnings) tell(`warning: ${label}: ${warning}`, false);
        return injection.additions.map((one) => ({ ...one, path: [...path, ...one.path] }));
      default:
        return [];
    }
  }

  function tell(text: string, isFault: boolean): void {
    said.push(text);
    if (isFault) isSound = false;
  }
}

/** The objects of a document: itself, or those of the list that it is. */
function objectsIn(value: JsonValue, path: Path): { readonly value: JsonObject; readonly path: Path }[] {
  if (!isJsonObject(value)) return [];
  const { kind, items } = value;
  if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items)) return [{ value, path }];
  return (items as readonly JsonValue[]).flatMap((item, at) => objectsIn(item, [...path, 'items', at]));
}

function namespaceOf({ metadata }: JsonObject): string | undefined {
  const namespace = isJsonObject(metadata) ? metadata['namespace'] : undefined;
  return typeof namespace === 'string' ? namespace : undefined;
}

function changedJson(value: JsonValue | undefined, additions: readonly Addition[]): string {
  return `${JSON.stringify(withAdditions(value as JsonObject, additions), null, 2)}\n`;
}

/** Files one after the other as documents of one text, which YAML takes JSON for as well. */
function joined(texts: readonly string[]): string {
  return texts.reduce((all, text) => {
    const end = all === '' || all.endsWith('\n') ? '' : '\n';
    const isApart = all === '' || /^\s*(?:---|%)/.test(text);
    return `${all}${end}${isApart ? '' : '---\n'}${text}`;
  }, '');
}
