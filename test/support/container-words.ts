import type { RenderedObject } from './chart.ts';

interface Container {
  readonly args: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}

/**
 * The options that the first container of a workload gives to the program, for a process on this machine.
 * @param changes options that are other ones here, by name: their value, or null to leave them out; such as are not
 *   given are added
 * @param variables values of what the kubelet puts in place of `$(NAME)`
 */
export function containerWords(
  workload: RenderedObject,
  changes: Readonly<Record<string, string | null>>,
  variables: Readonly<Record<string, string>> = {},
): string[] {
  const { args } = firstContainer(workload);
  const [command = '', ...options] = args.map((word) => expanded(word, variables));
  const kept = options.filter((word) => !Object.keys(changes).some((name) => word.startsWith(`${name}=`)));
  const changed = Object.entries(changes).flatMap(([name, value]) => (value === null ? [] : [`${name}=${value}`]));
  return [command, ...kept, ...changed];
}

/** The value of an option of the first container. @throws if there is none */
export function containerOption(workload: RenderedObject, name: string): string {
  const word = firstContainer(workload).args.find((one) => one.startsWith(`${name}=`));
  if (word === undefined) throw new Error(`${workload.metadata.name} has no option ${name}`);
  return word.slice(name.length + 1);
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
