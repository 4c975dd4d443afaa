/** What Java calls the algorithms of secret keys that PKCS #12 names by object identifiers. */
const names: ReadonlyMap<string, string> = new Map([
  ['2.16.840.1.101.3.4.1', 'AES'],
  ['1.3.14.3.2.7', 'DES'],
  ['1.3.14.3.2.17', 'DESede'],
  ['1.2.840.113549.3.7', 'DESede'],
  ['1.2.840.113549.3.2', 'RC2'],
  ['1.2.840.113549.3.4', 'ARCFOUR'],
  ['1.3.6.1.4.1.3029.1.1.2', 'Blowfish'],
  ['1.2.840.113549.2.7', 'HmacSHA1'],
  ['1.2.840.113549.2.8', 'HmacSHA224'],
  ['1.2.840.113549.2.9', 'HmacSHA256'],
  ['1.2.840.113549.2.10', 'HmacSHA384'],
  ['1.2.840.113549.2.11', 'HmacSHA512'],
  ['1.2.840.113549.2.12', 'HmacSHA512/224'],
  ['1.2.840.113549.2.13', 'HmacSHA512/256'],
  ['1.2.840.113549.1.5.3', 'PBEWithMD5AndDES'],
]);

/** The name of the algorithm of a secret key; one that is not known is called by its object identifier. */
export function secretKeyAlgorithm(oid: string): string {
  return names.get(oid) ?? oid;
}
