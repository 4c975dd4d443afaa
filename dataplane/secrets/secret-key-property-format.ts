import { createSecretKey } from 'node:crypto';
import { z } from 'zod';
import { ValueProblem } from '../../contract/problem.ts';
import { readConfigured, wrongType } from '../../contract/vocabulary/configured.ts';
import { leaf } from '../../contract/vocabulary/leaf.ts';
import { defineService } from '../heap/definition.ts';
import type { KeyUsage, StoredSecret } from '../heap/objects/secrets.ts';
import { formatOf, valueFormat } from './value-formats.ts';

/** What keys of an algorithm do, and how long they are. */
interface KeyAlgorithm {
  /** As Java writes it. */
  readonly name: string;
  readonly usages: ReadonlySet<KeyUsage>;
  /** The algorithm of JWA that it is for, or null when there are several. */
  readonly jwa: string | null;
  isLength(bytes: number): boolean;
  readonly lengths: string;
}

const SIGNING: ReadonlySet<KeyUsage> = new Set<KeyUsage>(['sign', 'verify']);
const ENCRYPTING: ReadonlySet<KeyUsage> = new Set<KeyUsage>(['encrypt', 'decrypt', 'wrapKey', 'unwrapKey']);

const algorithms: readonly KeyAlgorithm[] = [
  {
    name: 'AES',
    usages: ENCRYPTING,
    jwa: null,
    isLength: (bytes) => [16, 24, 32, 48, 64].includes(bytes), // twice the size where CBC has a key for its HMAC
    lengths: '16, 24, 32, 48 or 64',
  },
  mac('HmacSHA256', 'HS256', 32),
  mac('HmacSHA384', 'HS384', 48),
  mac('HmacSHA512', 'HS512', 64),
];

function mac(name: string, jwa: string, least: number): KeyAlgorithm {
  return { name, usages: SIGNING, jwa, isLength: (bytes) => bytes >= least, lengths: `at least ${least}` };
}

/** The name of an algorithm, in upper or lower case as Java takes it. */
function keyAlgorithm(): z.ZodType<KeyAlgorithm, unknown> {
  const names = algorithms.map(({ name }) => name);
  return leaf('configuration expression<string>', { type: 'string', examples: names }, (value) =>
    readConfigured(value, (given) => {
      if (typeof given !== 'string') throw wrongType('the name of an algorithm', given);
      const found = algorithms.find(({ name }) => name.toLowerCase() === given.toLowerCase());
      if (found === undefined) throw new ValueProblem('value', `must be one of ${names.join(', ')}`);
      return found;
    }),
  );
}

/** Symmetric keys. */
export const secretKeyPropertyFormat = defineService({
  type: 'SecretKeyPropertyFormat',
  kind: 'propertyFormat',
  summary:
    'Reads values of a store as symmetric keys: for `AES` keys that encrypt and decrypt, for `HmacSHA256`, ' +
    '`HmacSHA384` and `HmacSHA512` keys that sign and verify. A key that is too short for its algorithm is ' +
    'rejected; memorable passwords always are.',
  config: z.strictObject({
    format: valueFormat().default('BASE64').describe('Format in which the bytes of the key are stored.'),
    algorithm: keyAlgorithm().describe('Algorithm of the key, as Java names it.'),
  }),
  examples: [{ title: 'A key in base64 that signs tokens', config: { format: 'BASE64', algorithm: 'HmacSHA256' } }],
  create({ format, algorithm }, parts) {
    const bytesFormat = formatOf(format, parts);
    const { name, usages, jwa, isLength, lengths } = algorithm;
    return {
      async decode(id, value): Promise<readonly StoredSecret[]> {
        const [stored] = await bytesFormat.decode(id, value);
        if (stored?.kind !== 'generic') throw new Error("its 'format' gives a key already, and not the bytes of one");
        const bytes = stored.bytes.reveal();
        if (!isLength(bytes.length)) throw new Error(`a key for ${name} must have ${lengths} bytes`);
        const key = createSecretKey(bytes);
        return [{ kind: 'key', stableId: id, key, certificates: [], usages, algorithm: jwa, revocations: [] }];
      },
    };
  },
});
