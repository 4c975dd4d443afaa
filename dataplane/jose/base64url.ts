/** The last characters that leave no bits over, for texts of 2 and of 3 characters beyond a multiple of 4. */
const LAST_OF_TWO = 'AQgw';
const LAST_OF_THREE = 'AEIMQUYcgkosw048';

/**
 * The bytes of a text in base64url without padding (RFC 7515, section 2), or null. Of the spellings that decoders take
 * for the same bytes only the one that an encoder writes is read: what is signed, cached or compared has one form.
 */
export function decodeBase64url(text: string): Buffer | null {
  if (!endsCanonically(text) || !isAscii(text) || text.includes('+') || text.includes('/')) return null;
  const bytes = Buffer.from(text, 'base64url');
  // Other characters outside of the alphabet are passed over, and each one leaves fewer bytes.
  return bytes.length === (text.length * 3) >> 2 ? bytes : null;
}

/** Of other characters the decoder looks at one byte, which can be a letter. */
function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

/** Whether the length is one that bytes can have, and the last character has no bits beyond them. */
function endsCanonically(text: string): boolean {
  switch (text.length & 3) {
    case 0:
      return true;
    case 2:
      return LAST_OF_TWO.includes(text.charAt(text.length - 1));
    case 3:
      return LAST_OF_THREE.includes(text.charAt(text.length - 1));
    default:
      return false;
  }
}
