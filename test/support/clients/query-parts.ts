/** What one selector of a query asks for. */
export interface QuerySelector {
  readonly metric: string;
  /** Names of the labels that it compares. */
  readonly labels: readonly string[];
  /** The selector itself, without a range. */
  readonly text: string;
}

/** What a query of PromQL names. */
export interface QueryParts {
  readonly selectors: readonly QuerySelector[];
  /** Labels that results are grouped and matched by. */
  readonly groupings: readonly string[];
}

const TOKEN = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[a-zA-Z_:][\w:]*|\d[\w.]*|=~|!~|!=|[^\s]/g;
const LABEL_LISTS = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right']);
const WORDS = new Set(['and', 'or', 'unless', 'bool', 'offset', 'inf', 'nan']);

/** Finds the selectors and label lists of a query that Prometheus accepts; of others it may find anything. */
export function queryParts(query: string): QueryParts {
  const tokens = [...query.matchAll(TOKEN)].map((match) => ({ text: match[0], at: match.index }));
  const selectors: QuerySelector[] = [];
  const groupings: string[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const { text, at } = tokens[i]!;
    const next = tokens[i + 1]?.text;
    if (LABEL_LISTS.has(text.toLowerCase())) {
      if (next !== '(') continue; // group_left without labels
      for (i += 2; tokens[i]?.text !== ')'; i++) if (tokens[i]!.text !== ',') groupings.push(tokens[i]!.text);
    } else if (text === '[') {
      while (tokens[i]?.text !== ']') i++; // a range holds no names
    } else if (/^[a-zA-Z_:]/.test(text) && !isFunction(next) && !WORDS.has(text.toLowerCase())) {
      const labels: string[] = [];
      let end = at + text.length;
      if (next === '{') {
        for (i += 2; tokens[i]?.text !== '}'; i++) {
          if (/^(=|=~|!~|!=)$/.test(tokens[i + 1]?.text ?? '')) labels.push(tokens[i]!.text);
        }
        end = tokens[i]!.at + 1;
      }
      selectors.push({ metric: text, labels, text: query.slice(at, end) });
    }
  }
  return { selectors, groupings: [...new Set(groupings)] };
}

function isFunction(next: string | undefined): boolean {
  return next === '(' || next === 'by' || next === 'without';
}
