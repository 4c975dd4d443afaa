/** One element of DER: its tag, its length, its content. */
export function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  if (content.length < 0x80) return Buffer.concat([Buffer.from([tag, content.length]), content]);
  const digits: number[] = [];
  for (let left = content.length; left > 0; left = Math.floor(left / 256)) digits.unshift(left % 256);
  return Buffer.concat([Buffer.from([tag, 0x80 | digits.length, ...digits]), content]);
}

export function sequence(...parts: readonly Uint8Array[]): Buffer {
  return element(0x30, ...parts);
}

/** A number that is not negative, from its bytes, the highest first. */
export function integer(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first < 0 ? Buffer.from([0]) : bytes.subarray(first);
  return element(0x02, Buffer.alloc((digits[0] ?? 0) >= 0x80 ? 1 : 0), digits);
}

export function isTrue(): Buffer {
  return element(0x01, Buffer.from([0xff]));
}

export function octets(content: Uint8Array): Buffer {
  return element(0x04, content);
}

/** @param unused how many of the last bits do not count */
export function bits(content: Uint8Array, unused = 0): Buffer {
  return element(0x03, Buffer.from([unused]), content);
}

/** An object identifier, such as `2.5.4.3`. */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** The name of somebody, by common name alone. */
export function commonName(text: string): Buffer {
  const attribute = sequence(objectIdentifier('2.5.4.3'), element(0x0c, Buffer.from(text)));
  return sequence(element(0x31, attribute));
}

/** A moment to the second, in the form that X.509 asks of its year. */
export function moment(milliseconds: number): Buffer {
  const digits = `${new Date(milliseconds).toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`;
  return digits < '2050' ? element(0x17, Buffer.from(digits.slice(2))) : element(0x18, Buffer.from(digits));
}

/** Bytes as a PEM block. */
export function pemBlock(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}

function base128(value: number): number[] {
  const digits = [value % 128];
  for (let left = Math.floor(value / 128); left > 0; left = Math.floor(left / 128)) digits.unshift(0x80 | (left % 128));
  return digits;
}
