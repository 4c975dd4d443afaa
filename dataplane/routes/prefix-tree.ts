interface Node {
  /** The characters between the parent and here. */
  label: string;
  /** What was added under exactly this text. */
  values: readonly number[] | null;
  readonly children: Map<number, Node>;
}

/** Numbers by text, found by every text that begins with theirs. Built once, then only read. */
export class PrefixTree {
  private readonly root: Node = { label: '', values: null, children: new Map() };

  constructor(entries: ReadonlyMap<string, readonly number[]>) {
    for (const [text, values] of entries) this.add(text, values);
  }

  /** Puts the numbers of each prefix of the text into the lists from a place on, the shortest first. @returns where they end. */
  gather(text: string, lists: (readonly number[])[], from: number): number {
    let node: Node | undefined = this.root;
    let at = 0;
    let end = from;
    for (;;) {
      if (node.values !== null) lists[end++] = node.values;
      if (at === text.length) return end;
      node = node.children.get(text.charCodeAt(at));
      if (node === undefined || !text.startsWith(node.label, at)) return end;
      at += node.label.length;
    }
  }

  private add(text: string, values: readonly number[]): void {
    let node = this.root;
    let rest = text;
    while (rest !== '') {
      const child = node.children.get(rest.charCodeAt(0));
      if (child === undefined) {
        const leaf: Node = { label: rest, values: null, children: new Map() };
        node.children.set(rest.charCodeAt(0), leaf);
        node = leaf;
        break;
      }
      const shared = sharedLength(child.label, rest);
      node = shared === child.label.length ? child : split(node, child, shared);
      rest = rest.slice(shared);
    }
    node.values = values;
  }
}

/** Puts a node between a node and its child, where the labels part. */
function split(parent: Node, child: Node, at: number): Node {
  const middle: Node = { label: child.label.slice(0, at), values: null, children: new Map() };
  parent.children.set(middle.label.charCodeAt(0), middle);
  child.label = child.label.slice(at);
  middle.children.set(child.label.charCodeAt(0), child);
  return middle;
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length;
}
