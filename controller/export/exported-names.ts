/** Longest name that leaves room for what tells two of them apart. */
const LONGEST = 50;

/** Names that Kubernetes accepts, made of others; none is given twice. */
export class ExportedNames {
  private readonly taken = new Set<string>();

  /** @param byDefault what a name without a usable letter becomes */
  give(text: string, byDefault: string): string {
    const wanted = kubernetesName(text) || byDefault;
    let name = wanted;
    for (let count = 2; this.taken.has(name); count++) name = `${wanted}-${count}`;
    this.taken.add(name);
    return name;
  }
}

function kubernetesName(text: string): string {
  const plain = text.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return plain.replace(/^-+/, '').slice(0, LONGEST).replace(/-+$/, '');
}
