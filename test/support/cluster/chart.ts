import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { theHelm } from './helm.ts';

const repository = fileURLToPath(new URL('../../..', import.meta.url));

/** The folder of the chart. */
export const chart = join(repository, 'helm', 'gatewarden');
/** The folder of the chart with the custom resource definitions. */
export const crdChart = join(repository, 'helm', 'gatewarden-crds');

const setsFolder = join(repository, 'test', 'helm', 'values');

/** The Kubernetes that is rendered for, so that the version which helm was built with does not matter. */
const KUBERNETES = '1.36.3';

/** An object as the chart renders it. */
export interface RenderedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

export interface Rendering {
  readonly release?: string;
  readonly namespace?: string;
  /** Paths of files with values, and at most one object with values. */
  readonly values?: readonly (string | object)[];
}

/** The names of the sets of values that the chart is tried with. */
export function valueSets(): string[] {
  const files = readdirSync(setsFolder).filter((name) => name.endsWith('.yaml'));
  return files.map((name) => name.slice(0, -'.yaml'.length)).toSorted();
}

/** The file of a set of values. */
export function valueSet(name: string): string {
  return join(setsFolder, `${name}.yaml`);
}

/** How helm is given values: files, and at most one object, which it reads as its input. */
export function givenValues(values: readonly (string | object)[] = []): { words: string[]; input: string } {
  const objects = values.filter((one) => typeof one === 'object');
  if (objects.length > 1) throw new Error('helm reads one input only');
  return {
    words: values.flatMap((one) => ['-f', typeof one === 'string' ? one : '-']),
    input: objects.length === 0 ? '' : JSON.stringify(objects[0]),
  };
}

/** What the chart renders, as text. @throws with what helm says */
export async function renderText({
  release = 'gatewarden',
  namespace = 'gatewarden',
  values,
}: Rendering = {}): Promise<string> {
  const helm = await theHelm();
  const { words, input } = givenValues(values);
  const where = ['-n', namespace, '--kube-version', KUBERNETES, '--api-versions', 'monitoring.coreos.com/v1'];
  return helm.run(['template', release, chart, ...where, ...words], { input });
}

/** What helm tells after an installation. */
export async function notesText({
  release = 'gatewarden',
  namespace = 'gatewarden',
  values,
}: Rendering = {}): Promise<string> {
  const helm = await theHelm();
  const { words, input } = givenValues(values);
  const all = ['install', release, chart, '-n', namespace, '--dry-run=client', ...words];
  const [, notes = ''] = (await helm.run(all, { input })).split('\nNOTES:\n');
  return notes;
}

/** What the chart renders. */
export async function renderObjects(rendering: Rendering = {}): Promise<RenderedObject[]> {
  return objectsOf(await renderText(rendering));
}

/** The objects in a text of several documents. */
export function objectsOf(text: string): RenderedObject[] {
  return parseAllDocuments(text)
    .map((document) => {
      const [error] = document.errors;
      if (error !== undefined) throw error;
      return document.toJS() as RenderedObject | null;
    })
    .filter((object) => object !== null);
}
