import { isMap, isNode, isScalar, LineCounter, type Pair, parseDocument } from 'yaml';

/** A value of the chart that people can set, or what several values are about. */
export interface ChartValue {
  /** Such as `controller.replicas`. */
  readonly path: string;
  /** What the chart takes when nobody says anything; undefined for what has values of its own below it. */
  readonly default: unknown;
  /** What the comment above it says. */
  readonly description: string;
}

/**
 * The values in the text of a values.yaml, in its order: every key whose comment begins with `# --`, and what has such
 * keys below it if it has any comment.
 */
export function chartValues(text: string): ChartValue[] {
  const keys = keysOf(text);
  return keys.flatMap(({ path, value, description, remark }): ChartValue[] => {
    const isGroup = keys.some((key) => key.description !== null && key.path.startsWith(`${path}.`));
    const said = description ?? (isGroup ? remark : null);
    return said === null ? [] : [{ path, default: isGroup ? undefined : value, description: said }];
  });
}

/** Paths of values of which neither a comment of their own nor one of what they are part of says anything. */
export function silentValues(text: string): string[] {
  const keys = keysOf(text);
  const told = keys.filter(({ description }) => description !== null);
  return keys
    .filter(({ isLeaf, path }) => isLeaf && !told.some((one) => path === one.path || path.startsWith(`${one.path}.`)))
    .map(({ path }) => path);
}

interface Key {
  readonly path: string;
  readonly value: unknown;
  /** Its comment from `--` on. */
  readonly description: string | null;
  /** Its comment if there is no `--` in it. */
  readonly remark: string | null;
  readonly isLeaf: boolean;
}

function keysOf(text: string): Key[] {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter });
  const [error] = document.errors;
  if (error !== undefined) throw error;
  const lines = text.split('\n');

  function under(node: unknown, prefix: string): Key[] {
    return isMap(node) ? node.items.flatMap((pair) => below(pair, prefix)) : [];
  }

  function below({ key, value }: Pair, prefix: string): Key[] {
    if (!isScalar(key)) throw new Error(`a key of ${prefix === '' ? 'the values' : prefix} is not a text`);
    const path = prefix === '' ? String(key.value) : `${prefix}.${String(key.value)}`;
    const line = counter.linePos(key.range?.[0] ?? 0).line;
    const inner = under(value, path);
    const plain: unknown = isNode(value) ? value.toJS(document) : null;
    return [{ path, value: plain, ...commentAbove(lines, line - 1), isLeaf: inner.length === 0 }, ...inner];
  }

  return under(document.contents, '');
}

/** What the comment says that ends right above a line, counted from 0. */
function commentAbove(lines: readonly string[], line: number): Pick<Key, 'description' | 'remark'> {
  let first = line;
  while (first > 0 && /^\s*#/.test(lines[first - 1]!)) first -= 1;
  const words = lines.slice(first, line).map((text) => text.replace(/^\s*#\s*/, '').trim());
  const begin = words.findLastIndex((text) => text.startsWith('-- '));
  if (begin >= 0) return { description: words.slice(begin).join(' ').slice('-- '.length), remark: null };
  return { description: null, remark: words.length === 0 ? null : words.join(' ') };
}
