import type { z } from 'zod';
import { resourceRules } from '../contract/resources/resource-rule.ts';
import { fieldPaths, fieldRemarks } from '../contract/vocabulary/field-path.ts';
import { fieldTable } from '../contract/vocabulary/field-table.ts';
import { type SchemaNode, schemaTree } from '../contract/vocabulary/schema-tree.ts';
import { type ResourceDefinition, resourceDefinitions } from '../crds/definitions.ts';
import { markdownTable } from './markdown-table.ts';

const ORIGIN =
  '<!-- Written by `npm run docs` from contract/resources/ and crds/definitions.ts. Change those instead. -->';

const INTRODUCTION = `What people write in a cluster, in the group \`gatewarden.io\`, version \`v1alpha1\`. \`kubectl apply --server-side -f crds\` makes
them known, \`kubectl explain\` tells the same as this page, and \`kubectl get gatewarden\` lists all of them. The API server
checks the form; what objects say is judged by the compiler, whose words are in the conditions, in the answers of the
admission webhook and in what \`gatewarden check FILE…\` prints of manifests before anybody applies them.

A resource is a tenant's document: what it may not do is in [security](security.md). What the conditions and their
reasons mean is in [operating](operating.md).

Route and store names in other namespaces are written \`NAMESPACE/NAME\`. A Route finds a name first among its own objects,
then among those of the base configuration that tenants may use, and then among the SecretStores.`;

/** The text of docs/resources.md. */
export function resourcesPage(): string {
  const sections = [
    '# Resources',
    ORIGIN,
    INTRODUCTION.replaceAll('\n\n', '¶').replaceAll('\n', ' ').replaceAll('¶', '\n\n'),
  ];
  for (const one of resourceDefinitions) sections.push(...resourceSections(one));
  return `${sections.join('\n\n')}\n`;
}

function resourceSections({
  kind,
  plural,
  shortName,
  summary,
  about,
  example,
  spec,
  status,
}: ResourceDefinition): string[] {
  return [
    `## ${kind}`,
    `${summary} Plural \`${plural}\`, short name \`${shortName}\`.`,
    `\`\`\`yaml\n${example.trim()}\n\`\`\``,
    `### ${kind}.spec`,
    about,
    fieldsTable(spec),
    ...ruleList(spec),
    `### ${kind}.status`,
    fieldsTable(status),
  ];
}

function fieldsTable(schema: z.ZodType): string {
  const rows = fieldPaths(fieldTable(schema)).map(({ path, field }) => [
    `\`${path}\``,
    `\`${field.label}\``,
    field.required ? 'required' : '',
    fieldRemarks(field).join(' '),
  ]);
  return markdownTable([['field', 'type', '', ''], ...rows]);
}

/** What the API server holds fields to beside their types, as it says so. */
function ruleList(schema: z.ZodType): string[] {
  const rules = rulesIn(schemaTree(schema), '').map(({ path, message }) => `- \`${path}\`: ${message}.`);
  return rules.length === 0
    ? []
    : ['The API server refuses what breaks one of these rules:', [...new Set(rules)].join('\n')];
}

function rulesIn(node: SchemaNode, path: string): { path: string; message: string }[] {
  const own = resourceRules(node).map(({ message }) => ({ path, message }));
  if (node.kind === 'list') return [...own, ...rulesIn(node.item, `${path}[]`)];
  if (node.kind === 'map') return [...own, ...rulesIn(node.value, `${path}.*`)];
  if (node.kind !== 'object') return own;
  const under = (name: string): string => (path === '' ? name : `${path}.${name}`);
  return [...own, ...[...node.fields].flatMap(([name, field]) => rulesIn(field, under(name)))];
}
