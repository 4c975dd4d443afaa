import { X509Certificate } from 'node:crypto';
import { type Ber, TAG } from './ber.ts';
import { damaged } from './keystore-problem.ts';
import type { Limits } from './password-encryption.ts';

/** What attributes say of a key or a certificate. */
interface Attributes {
  readonly friendlyName: string | null;
  readonly localKeyId: Buffer | null;
  /** Java marks certificates so that are there to be trusted. */
  readonly isTrusted: boolean;
}

/** A key that is encrypted, or a certificate. */
export type Bag = Attributes &
  (
    | { readonly kind: 'private' | 'secret'; readonly algorithm: Ber; readonly encrypted: Buffer }
    | { readonly kind: 'certificate'; readonly certificate: X509Certificate; readonly index: number }
    | { readonly kind: 'unread'; readonly note: string }
  );

const BAGS = '1.2.840.113549.1.12.10.1';
const PLAIN_KEY_BAG = `${BAGS}.1`;
const KEY_BAG = `${BAGS}.2`;
const CERTIFICATE_BAG = `${BAGS}.3`;
const SECRET_BAG = `${BAGS}.5`;
const X509 = '1.2.840.113549.1.9.22.1';

const FRIENDLY_NAME = '1.2.840.113549.1.9.20';
const LOCAL_KEY_ID = '1.2.840.113549.1.9.21';
const TRUSTED_KEY_USAGE = '2.16.840.1.113894.746875.1.1';

/** The bags of one SafeContents, in their order. */
export async function readBags(contents: Ber, { work }: Limits): Promise<readonly Bag[]> {
  const bags: Bag[] = [];
  for (const [index, bag] of contents.sequence().entries()) {
    await work.takeItem();
    const [oid, tagged, attributes] = bag.sequence();
    if (oid === undefined || tagged === undefined) throw damaged('one of its bags');
    bags.push({ ...attributesOf(attributes), ...contentOf(oid.oid(), tagged.explicit(0), index) });
  }
  return bags;
}

type Content = Bag extends infer One ? (One extends Bag ? Omit<One, keyof Attributes> : never) : never;

function contentOf(kind: string, value: Ber, index: number): Content {
  switch (kind) {
    case KEY_BAG:
      return encryptedKey('private', value);
    case SECRET_BAG: {
      const [oid, tagged] = value.sequence();
      if (oid === undefined || tagged === undefined) throw damaged('one of its secret keys');
      if (oid.oid() !== KEY_BAG) return { kind: 'unread', note: `a secret of the kind ${oid.oid()} is not known` };
      const inner = tagged.explicit(0);
      return encryptedKey('secret', inner.tag === TAG.sequence ? inner : inner.inside());
    }
    case CERTIFICATE_BAG: {
      const [oid, tagged] = value.sequence();
      if (oid === undefined || tagged === undefined) throw damaged('one of its certificates');
      if (oid.oid() !== X509) return { kind: 'unread', note: 'a certificate that is not an X.509 one' };
      return { kind: 'certificate', certificate: certificateOf(tagged.explicit(0).octets()), index };
    }
    case PLAIN_KEY_BAG:
      return { kind: 'unread', note: 'a private key that is not encrypted' };
    default:
      return { kind: 'unread', note: `a bag of the kind ${kind}` };
  }
}

function encryptedKey(kind: 'private' | 'secret', info: Ber): Content {
  const [algorithm, encrypted] = info.sequence();
  if (algorithm === undefined || encrypted === undefined) throw damaged('one of its keys');
  return { kind, algorithm, encrypted: encrypted.octets() };
}

/** A certificate of a keystore. @throws KeystoreProblem that says nothing of its content */
export function certificateOf(der: Buffer): X509Certificate {
  try {
    return new X509Certificate(der);
  } catch {
    throw damaged('one of its certificates');
  }
}

function attributesOf(set: Ber | undefined): Attributes {
  let friendlyName: string | null = null;
  let localKeyId: Buffer | null = null;
  let isTrusted = false;
  for (const attribute of set?.sequence(TAG.set) ?? []) {
    const [oid, values] = attribute.sequence();
    const [value] = values?.sequence(TAG.set) ?? [];
    if (oid === undefined || value === undefined) throw damaged('an attribute');
    const name = oid.oid();
    if (name === FRIENDLY_NAME) friendlyName = value.bmp();
    else if (name === LOCAL_KEY_ID) localKeyId = value.octets();
    else if (name === TRUSTED_KEY_USAGE) isTrusted = true;
  }
  return { friendlyName, localKeyId, isTrusted };
}
