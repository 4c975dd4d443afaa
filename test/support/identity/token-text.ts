/** A value as a part of a compact token: texts and bytes as they are, everything else as JSON. */
export function tokenPart(value: unknown): string {
  const bytes = typeof value === 'string' || value instanceof Uint8Array ? value : JSON.stringify(value);
  return Buffer.from(bytes).toString('base64url');
}

/** A token whose parts are these values, with whatever signature. */
export function tokenText(header: unknown, payload: unknown, signature: Uint8Array | string = 'x'.repeat(32)): string {
  return [header, payload, signature].map(tokenPart).join('.');
}
