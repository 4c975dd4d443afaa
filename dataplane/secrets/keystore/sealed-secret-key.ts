import { Ber } from './ber.ts';
import { ByteReader } from './byte-reader.ts';
import { md5AndTripleDes } from './java-key-protection.ts';
import { type JavaObject, type JavaValue, readJavaObject } from './java-serialization.ts';
import type { RecoveredKey } from './keystore-entry.ts';
import { damaged, KeystoreProblem, WrongPassword } from './keystore-problem.ts';
import type { Limits } from './password-encryption.ts';

const SEALED = 'javax.crypto.SealedObject';
const SEALED_CLASSES = new Set([SEALED, 'com.sun.crypto.provider.SealedObjectForKeyProtector', '[B']);

const KEY_REP = 'java.security.KeyRep';
const SECRET_KEY_SPEC = 'javax.crypto.spec.SecretKeySpec';
/** Classes of keys before Java 5, which wrote themselves, and their algorithms. */
const oldKeys: ReadonlyMap<string, string> = new Map([
  ['com.sun.crypto.provider.DESKey', 'DES'],
  ['com.sun.crypto.provider.DESedeKey', 'DESede'],
  ['com.sun.crypto.provider.PBEKey', 'PBEWithMD5AndDES'],
]);
const KEY_CLASSES = new Set([
  KEY_REP,
  'java.security.KeyRep$Type',
  'java.lang.Enum',
  SECRET_KEY_SPEC,
  '[B',
  ...oldKeys.keys(),
]);

/** A secret key of a JCEKS file: an object of Java that holds another, encrypted one. */
export interface SealedSecretKey {
  recover(password: string, limits: Limits): Promise<RecoveredKey>;
}

/** Reads a sealed key from where the reader is. @throws KeystoreProblem, also for objects of other classes */
export function readSealedKey(reader: ByteReader): SealedSecretKey {
  const sealed = readJavaObject(reader, (name) => SEALED_CLASSES.has(name));
  if (!sealed.classNames.includes(SEALED)) throw damaged('a secret key');
  const encrypted = bytesOf(sealed.fields.get('encryptedContent'));
  const parameters = bytesOf(sealed.fields.get('encodedParams'));
  const algorithm = sealed.fields.get('sealAlg');
  return {
    async recover(password, limits) {
      if (algorithm !== 'PBEWithMD5AndTripleDES') {
        throw new KeystoreProblem('a secret key is encrypted with an algorithm that is not supported');
      }
      const read = Ber.read(parameters, limits.elements);
      const plain = await md5AndTripleDes(read, encrypted, password, limits.work);
      // a wrong password can give bytes that end as they should, and these are no object then
      if (!plain.subarray(0, 4).equals(SERIALIZED)) throw new WrongPassword();
      return keyOf(readJavaObject(new ByteReader(plain), (name) => KEY_CLASSES.has(name)));
    },
  };
}

const SERIALIZED = Buffer.from([0xac, 0xed, 0x00, 0x05]);

function keyOf({ classNames: [name = ''], fields }: JavaObject): RecoveredKey {
  const algorithm = fields.get('algorithm');
  if (name === SECRET_KEY_SPEC && typeof algorithm === 'string') {
    return { kind: 'secret', algorithm, bytes: bytesOf(fields.get('key')) };
  }
  if (name === KEY_REP && typeof algorithm === 'string') {
    if (fields.get('type') !== 'SECRET' || fields.get('format') !== 'RAW') throw damaged('a secret key');
    return { kind: 'secret', algorithm, bytes: bytesOf(fields.get('encoded')) };
  }
  const known = oldKeys.get(name);
  if (known === undefined) throw damaged('a secret key');
  return { kind: 'secret', algorithm: known, bytes: bytesOf(fields.get('key')) };
}

function bytesOf(value: JavaValue | undefined): Buffer {
  if (!Buffer.isBuffer(value)) throw damaged('a secret key');
  return value;
}
