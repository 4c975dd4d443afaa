/** A `Set-Cookie` line taken apart; attributes keep their order, their spelling and those nobody knows. */
export interface SetCookie {
  readonly name: string;
  value: string;
  /** Name and value; the value is null for one that stands alone, such as `Secure`. */
  readonly attributes: [name: string, value: string | null][];
}

/** @returns null for a line that sets no cookie. */
export function readSetCookie(line: string): SetCookie | null {
  const [pair = '', ...rest] = line.split(';');
  const equals = pair.indexOf('=');
  const name = pair.slice(0, equals).trim();
  if (equals < 0 || name === '') return null;
  return {
    name,
    value: pair.slice(equals + 1).trim(),
    attributes: rest.filter((part) => part.trim() !== '').map(readAttribute),
  };
}

export function writeSetCookie({ name, value, attributes }: SetCookie): string {
  const written = attributes.map(([attribute, text]) => (text === null ? attribute : `${attribute}=${text}`));
  return [`${name}=${value}`, ...written].join('; ');
}

/** Sets an attribute to a value, or to stand alone (null), or removes it (undefined). */
export function setAttribute({ attributes }: SetCookie, name: string, value: string | null | undefined): void {
  const same = ([attribute]: readonly [string, unknown]): boolean => attribute.toLowerCase() === name.toLowerCase();
  const at = attributes.findIndex(same);
  const others = attributes.filter((attribute) => !same(attribute));
  if (value !== undefined) others.splice(at < 0 ? others.length : at, 0, [name, value]);
  attributes.splice(0, attributes.length, ...others);
}

function readAttribute(part: string): [string, string | null] {
  const equals = part.indexOf('=');
  return equals < 0 ? [part.trim(), null] : [part.slice(0, equals).trim(), part.slice(equals + 1).trim()];
}
