/** The bytes of a text in base64, with or without padding and broken into lines or not; null for any other text. */
export function base64Bytes(text: string): Buffer | null {
  const joined = text.replace(/\s+/g, '');
  const bytes = Buffer.from(joined, 'base64');
  const written = bytes.toString('base64');
  return joined === written || joined === written.replace(/=+$/, '') ? bytes : null;
}
