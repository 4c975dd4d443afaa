import type { RenderedObject } from './chart.ts';

interface Container {
  readonly args: readonly string[];
}

/** How the options of a container become those of a process on this machine. */
export interface Adaptation {
  /** Values of options where they are given; null to leave one out. */
  readonly changed: Readonly<Record<string, string | null>>;
  /** Further options. */
  readonly added?: Readonly<Record<string, string>>;
  /** Values of what the kubelet puts in place of `$(NAME)`. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** What the first container of a workload gives to the program, for a process on this machine. */
export function containerWords(
  workload: RenderedObject,
  { changed, added = {}, variables = {} }: Adaptation,
): string[] {
  const words = firstContainer(workload).args.flatMap((word) => {
    const [name = ''] = word.split('=', 1);
    const value = changed[name];
    if (value === null) return [];
    return value === undefined ? [expanded(word, variables)] : [`${name}=${value}`];
  });
  return [...words, ...Object.entries(added).map(([name, value]) => `${name}=${value}`)];
}

/** The value of an option of the first container, or null. */
export function containerOption(workload: RenderedObject, name: string): string | null {
  const word = firstContainer(workload).args.find((one) => one.startsWith(`${name}=`));
  return word === undefined ? null : word.slice(name.length + 1);
}

function firstContainer(workload: RenderedObject): Container {
  const { template } = workload['spec'] as { template: { spec: { containers: readonly [Container] } } };
  return template.spec.containers[0];
}

function expanded(word: string, variables: Readonly<Record<string, string>>): string {
  return word.replaceAll(/\$\((\w+)\)/g, (_, name: string) => {
    const value = variables[name];
    if (value === undefined) throw new Error(`nothing is known of $(${name}) in ${word}`);
    return value;
  });
}
