import { type ChartValue, chartValues } from './chart-values.ts';
import { markdownTable } from './markdown-table.ts';

const BEGIN = '<!-- From here on written by `npm run docs` from the comments of values.yaml. -->';

/** What the values are about, and those of the first level that are about it. */
const topics: readonly (readonly [title: string, keys: readonly string[]])[] = [
  ['Names and labels', ['nameOverride', 'fullnameOverride', 'commonLabels', 'commonAnnotations']],
  ['Image and users', ['image', 'securityContext']],
  ['Controllers', ['controller', 'webhook']],
  ['What is served, and for whom', ['config', 'audit', 'admin', 'trust', 'secretAccess']],
  ['Data planes', ['defaultGroup', 'dataPlaneDefaults', 'dataPlanes']],
  ['Sidecars', ['sidecars']],
  ['Network', ['networkPolicy']],
  ['Monitoring', ['monitoring']],
  ['Further objects', ['rbac', 'tests', 'extraObjects', 'global']],
];

/**
 * The page of the chart with the tables of its values at its end.
 * @param page the page as it is, of which what people wrote stays
 * @param values the text of values.yaml
 * @throws if a value belongs to no topic, or a topic has none
 */
export function chartPage(page: string, values: string): string {
  const [written, ...rest] = page.split(BEGIN);
  if (rest.length !== 1) throw new Error(`the page of the chart needs one line ${BEGIN}`);
  const all = chartValues(values);
  const known = new Set(topics.flatMap(([, keys]) => keys));
  const stray = all.find(({ path }) => !known.has(topKey(path)));
  if (stray !== undefined) throw new Error(`no topic of docs/chart-page.ts has the value ${stray.path}`);
  const sections = topics.map(([title, keys]) => topic(title, keys, all));
  return `${written}${BEGIN}\n\n${sections.join('\n\n')}\n`;
}

function topic(title: string, keys: readonly string[], all: readonly ChartValue[]): string {
  const own = keys.flatMap((key) => {
    const found = all.filter(({ path }) => topKey(path) === key);
    if (found.length === 0) throw new Error(`there is no value ${key}, which docs/chart-page.ts has under "${title}"`);
    return found;
  });
  const rows = own.map(({ path, default: value, description }) => [
    `\`${path}\``,
    value === undefined ? '' : `\`${JSON.stringify(value)}\``,
    description,
  ]);
  return `### ${title}\n\n${markdownTable([['value', 'default', 'what it is'], ...rows])}`;
}

function topKey(path: string): string {
  return path.split('.', 1)[0]!;
}
