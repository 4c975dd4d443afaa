import type { JsonObject } from '../../../contract/document/json-value.ts';
import type { FolderContent } from '../gateways/instance-folder.ts';
import { type ObservedRow, observedRoute } from './observed-row.ts';

/** The routes that a row was observed with, and what became of them before the request was sent. */
export interface Setting {
  /** The route that the row is about, by the name of its file. */
  readonly route: string;
  readonly first: FolderContent;
  readonly changes?: readonly FolderContent[];
}

const answer = (path: string | null, entity: string, more: JsonObject = {}): JsonObject => ({
  ...(path === null ? {} : { condition: `\${matches(request.uri.path,'^${path}')}` }),
  handler: { type: 'StaticResponseHandler', config: { status: 200, entity } },
  ...more,
});

/** Names in the opposite order of the files; rows 87 and 88 show two of them. */
const ordered: FolderContent = {
  '10-y.json': answer('/ord', 'file 10-y name zzz', { name: 'zzz' }),
  '15-n.json': answer('/ord2', 'file 15-n unnamed'),
  '20-x.json': answer('/ord', 'file 20-x name aaa', { name: 'aaa' }),
};
const withDefault: FolderContent = {
  ...ordered,
  '00-default.json': answer(null, 'route named default', { name: 'default' }),
  'zz-nocond.json': answer(null, 'nocond route'),
};
const sound: FolderContent = { 'inv.json': answer('/inv', 'v1') };
const broken: FolderContent = { 'inv.json': '{ "handler": ' };

/** Settings of the rows that describe theirs in words. */
const described: ReadonlyMap<number, Setting> = new Map<number, Setting>([
  [93, { route: 'zz-nocond.json', first: { ...ordered, 'zz-nocond.json': answer(null, 'nocond route') } }],
  [95, { route: '00-default.json', first: withDefault }],
  [96, { route: '00-default.json', first: withDefault }],
  [98, { route: 'default.json', first: { ...ordered, 'default.json': answer(null, 'file default.json') } }],
  [100, { route: 'inv.json', first: sound, changes: [broken] }],
  [
    101,
    {
      route: 'inv.json',
      first: sound,
      changes: [{ 'inv.json': { ...answer('/inv', 'v2'), handler: { type: 'Nope' } } }],
    },
  ],
  [
    103,
    { route: 'inv.json', first: sound, changes: [{ 'inv.json': { ...answer(null, 'v2'), condition: '${matches(' } }] },
  ],
  [105, { route: 'inv.json', first: sound, changes: [broken, { 'inv.json': answer('/inv', 'v3') }] }],
  [110, { route: 'extra.json', first: { 'extra.json': answer('/extra', 'x', { extra: 1 }) } }],
]);

/** The row whose route was still there when another one was observed, as the answer shows. */
const leftBehind: ReadonlyMap<number, number> = new Map([[247, 246]]);

/** What a row was observed in. @throws when the row does not say. */
export function settingOf(row: ObservedRow, rows: readonly ObservedRow[]): Setting {
  const told = described.get(row.id);
  if (told !== undefined) return told;
  const before = leftBehind.get(row.id);
  const shown = before === undefined ? row : rows.find(({ id }) => id === before)!;
  return { route: 't.json', first: { 't.json': observedRoute(shown) } };
}
