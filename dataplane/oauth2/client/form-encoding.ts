const SPACE = 0x20;
/** What `application/x-www-form-urlencoded` leaves as it is. */
const PLAIN = new Set(Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789*-._', 'latin1'));

/** A text in UTF-8, or bytes, as a form and the credentials of RFC 6749 §2.3.1 write them. */
export function formEncoded(value: string | Uint8Array): string {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'utf8') : value;
  let encoded = '';
  for (const byte of bytes) {
    if (PLAIN.has(byte)) encoded += String.fromCharCode(byte);
    else encoded += byte === SPACE ? '+' : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return encoded;
}
