import type { ShownField, ShownForm, ShownType } from '../../contract/shown/shown-catalogue.ts';
import { NEEDS } from './needs.ts';

/** Words of no use in a search. */
const NOISE = new Set(['a', 'an', 'the', 'in', 'to', 'of', 'for', 'with', 'and', 'or', 'my', 'on', 'up']);

/** Returns the types that match a text, the best ones first; all of them, in their order, for an empty one. */
export function searchTypes(types: readonly ShownType[], text: string): readonly ShownType[] {
  const words = text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !NOISE.has(word));
  if (words.length === 0) return types;
  return types
    .map((type) => ({ type, score: scoreOf(type, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ type }) => type);
}

/** Every word must be found somewhere; a place that says more about the type counts more. */
function scoreOf(type: ShownType, words: readonly string[]): number {
  const places = placesOf(type);
  let sum = 0;
  for (const word of words) {
    const best = Math.max(bestPlace(places, word), meant(type, word));
    if (best === 0) return 0;
    sum += best;
  }
  return sum;
}

/** Grade of a type that a word stands for; 0 for another one. */
function meant({ type }: ShownType, word: string): number {
  const places = NEEDS.filter(([words]) => words.includes(word)).map(([, types]) => types.indexOf(type));
  const place = Math.min(...places.filter((one) => one >= 0));
  return Number.isFinite(place) ? 20 - place : 0;
}

type Places = readonly (readonly [text: string, weight: number])[];

const known = new WeakMap<ShownType, Places>();

function placesOf(type: ShownType): Places {
  const before = known.get(type);
  if (before !== undefined) return before;
  const [first = '', ...rest] = type.summary.split(/(?<=\.)\s/);
  const places: Places = [
    [wordsIn([type.type, ...(type.aliases ?? [])].join(' ')), 10],
    [wordsIn(first), 4],
    [wordsIn(rest.join(' ')), 2],
    [wordsIn(fieldTexts(type.fields).join(' ')), 0.5],
  ];
  known.set(type, places);
  return places;
}

function bestPlace(places: Places, word: string): number {
  return places.find(([text]) => text.includes(` ${word}`))?.[1] ?? 0;
}

/** Words in lower case, also those that a name is made of, each after a space. */
function wordsIn(text: string): string {
  const split = text.replace(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, ' ');
  return ` ${text} ${split}`.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ');
}

function fieldTexts(fields: readonly ShownField[]): string[] {
  return fields
    .filter(({ form }) => form.kind !== 'refused')
    .flatMap(({ name, description, form }) => [name, description, ...innerTexts(form)]);
}

function innerTexts(form: ShownForm): string[] {
  if (form.kind === 'object') return fieldTexts(form.fields);
  return form.kind === 'list' ? innerTexts(form.item) : [];
}
