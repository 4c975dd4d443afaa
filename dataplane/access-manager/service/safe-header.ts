/** Values that a header can have as they are. */
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * Returns a name or a password as a header value. Other characters than printable ASCII are sent as an encoded word
 * (RFC 2047), which access managers decode, so that nothing is lost and no header line can be added.
 */
export function safeHeader(value: Uint8Array): string {
  const bytes = Buffer.from(value);
  const text = bytes.latin1Slice();
  return PLAIN.test(text) && !text.startsWith('=?') ? text : `=?UTF-8?B?${bytes.toString('base64')}?=`;
}
