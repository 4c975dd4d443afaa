import { isJsonObject, type JsonObject, type JsonValue } from '../../../contract/document/json-value.ts';
import { Draft } from '../../draft/draft.ts';
import { writtenText } from '../../draft/draft-text.ts';
import { clusterIdOf } from './cluster-id.ts';

/** A file for git. */
export interface ExportedFile {
  readonly name: string;
  readonly text: string;
}

/** Returns the draft as a file of a route, with its comments. */
export function routeFile(id: string, { text, format }: Draft): ExportedFile {
  return { name: `${id}.json`, text: format === 'json' ? text : asJson(text) };
}

/** Returns the draft as a manifest of a Route. @param isCluster ids such as `shop.orders` have the namespace first */
export function routeManifest(id: string, draft: Draft, isCluster: boolean): ExportedFile {
  const { namespace, name } = isCluster ? clusterIdOf(id) : { namespace: '', name: id };
  const spec: JsonValue = isJsonObject(draft.document) ? draft.document : {};
  const manifest: JsonObject = {
    apiVersion: 'gatewarden.io/v1alpha1',
    kind: 'Route',
    metadata: { name: resourceName(name), ...(namespace === '' ? {} : { namespace }) },
    spec,
  };
  const head = new Draft(writtenText({ ...manifest, spec: null }, 'yaml'), 'yaml').text;
  const inner = new Draft(draft.text, draft.format);
  if (!inner.convert('yaml')) return { name: `${id}.yaml`, text: writtenText(manifest, 'yaml') };
  // Below spec, so that comments of the draft are in the manifest, too.
  const indented = inner.text.trimEnd().replace(/^(?=.)/gm, '  ');
  return { name: `${resourceName(name)}.yaml`, text: `${head.replace(/spec: null\n$/, 'spec:\n')}${indented}\n` };
}

/** Has the browser save a file. */
export function saveFile({ name, text }: ExportedFile): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

function asJson(text: string): string {
  const draft = new Draft(text, 'yaml');
  draft.convert('json');
  return draft.text;
}

/** Names of resources have letters, digits, dots and hyphens only. */
function resourceName(id: string): string {
  const name = id.toLowerCase().replace(/[^a-z0-9.-]+/g, '-');
  return name.replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '') || 'route';
}
