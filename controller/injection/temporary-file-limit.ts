/** What each unit of an amount of Kubernetes stands for. */
const UNITS: Readonly<Record<string, number>> = {
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};
const LARGEST_LIMIT = 2 ** 42;
const OPTION = '--limits';
const NAME = 'temporaryFileBytes';

/** Nine tenths of the size of a volume: the node evicts a Pod that writes more than all of it. */
export function temporaryFileBytes(size: string): number {
  const [, amount, unit = ''] = /^([\d.]+)(\w*)$/.exec(size)!;
  return Math.max(1, Math.min(LARGEST_LIMIT, Math.floor(0.9 * Number(amount) * (UNITS[unit] ?? 1))));
}

/** Adds the limit to words for `gatewarden dataplane`, which take `--limits` once; a limit that they set stays. */
export function withTemporaryFileLimit(words: readonly string[], size: string): string[] {
  const limit = `${NAME}=${temporaryFileBytes(size)}`;
  const at = words.findLastIndex((word) => word === OPTION || word.startsWith(`${OPTION}=`));
  if (at < 0) return [`${OPTION}=${limit}`, ...words];
  const index = words[at] === OPTION ? at + 1 : at;
  const given = words[index];
  if (given === undefined || given.includes(`${NAME}=`)) return [...words];
  const value = index === at ? given.slice(OPTION.length + 1) : given;
  const before = index === at ? `${OPTION}=` : '';
  return words.with(index, `${before}${value === 'default' ? limit : `${value},${limit}`}`);
}
