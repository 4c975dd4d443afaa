import { isToken } from '../wire/bytes.ts';

/** What frames a message or belongs to one hop is the engine's: filters read it, and their edits of it are ignored. */
const ENGINE_OWNED = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What there is to know of a name. */
interface JudgedName {
  readonly plain: string;
  readonly token: boolean;
  /** The engine writes it; nobody else may. */
  readonly owned: boolean;
}

const judgedNames = new Map<string, JudgedName>();
/** Configurations name few headers; whoever makes names up at will must not fill the memory. */
const MOST_JUDGED = 1000;

/** Filters name the same headers for every request, so each name is judged once. */
export function judged(name: string): JudgedName {
  const known = judgedNames.get(name);
  if (known !== undefined) return known;
  const plain = name.toLowerCase();
  // some servers take `_` for `-`
  const made = { plain, token: isToken(name), owned: ENGINE_OWNED.has(plain.replaceAll('_', '-')) };
  if (judgedNames.size < MOST_JUDGED) judgedNames.set(name, made);
  return made;
}
