export interface ResourcePlace {
  /** The API group; empty or left out for the core group. */
  readonly group?: string;
  readonly version: string;
  readonly plural: string;
  /** Left out for what has no namespace, and for all namespaces. */
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

/** The path at which the API server has a resource or a list of them. */
export function resourcePath({ group = '', version, plural, namespace, name, subresource }: ResourcePlace): string {
  const words = group === '' ? ['api', version] : ['apis', group, version];
  if (namespace !== undefined) words.push('namespaces', namespace);
  words.push(plural);
  if (name !== undefined) words.push(name);
  if (subresource !== undefined) words.push(subresource);
  return words.map((word) => `/${encodeURIComponent(word)}`).join('');
}
