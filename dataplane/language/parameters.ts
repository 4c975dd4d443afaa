import type { Shape } from '../../contract/expression/language.ts';
import { spend } from '../../contract/work-budget.ts';

/** Parameters of a query or of a form, as lists by name. A copy: changing it changes no message. */
export class Parameters {
  private readonly lists = new Map<string, string[]>();

  constructor(...sources: readonly Iterable<readonly [string, string]>[]) {
    for (const source of sources) {
      for (const [name, value] of source) {
        const list = this.lists.get(name);
        if (list === undefined) this.lists.set(name, [value]);
        else list.push(value);
      }
    }
  }

  get(name: string): readonly string[] | null {
    return this.lists.get(name) ?? null;
  }

  names(): string[] {
    return [...this.lists.keys()];
  }
}

/** What it costs to read one character of parameters. */
const PARSED_STEPS = 4;

/** The parameters in texts such as `a=1&b=2`, together. */
export function parametersIn(...texts: readonly string[]): Parameters {
  for (const text of texts) spend(text.length * PARSED_STEPS);
  return new Parameters(...texts.map((text) => new URLSearchParams(text)));
}

export const parametersShape: Shape<Parameters> = {
  name: 'parameters',
  properties: {},
  methods: { getFirst: (parameters, [name]) => parameters.get(String(name))?.[0] ?? null },
  entries: { get: (parameters, name) => parameters.get(name), keys: (parameters) => parameters.names(), kind: 'list' },
  text: (parameters) =>
    `{${parameters
      .names()
      .map((name) => `${name}=[${parameters.get(name)!.join(', ')}]`)
      .join(', ')}}`,
};
