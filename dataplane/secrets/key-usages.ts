import type { KeyObject } from 'node:crypto';
import type { KeyUsage } from '../heap/objects/secrets.ts';

/** What one half of a key pair may be used for. */
type Half = readonly KeyUsage[];

const SIGNING = { private: ['sign'], public: ['verify'] } as const satisfies Record<string, Half>;
const AGREEING = { private: ['agreeKey'], public: ['agreeKey'] } as const satisfies Record<string, Half>;
const RSA = {
  private: ['sign', 'decrypt', 'unwrapKey'],
  public: ['verify', 'encrypt', 'wrapKey'],
} as const satisfies Record<string, Half>;
const CURVE = { private: ['sign', 'agreeKey'], public: ['verify', 'agreeKey'] } as const satisfies Record<string, Half>;

const byType: Readonly<Record<string, { readonly private: Half; readonly public: Half }>> = {
  rsa: RSA,
  'rsa-pss': SIGNING,
  dsa: SIGNING,
  ec: CURVE,
  ed25519: SIGNING,
  ed448: SIGNING,
  'ml-dsa-44': SIGNING,
  'ml-dsa-65': SIGNING,
  'ml-dsa-87': SIGNING,
  x25519: AGREEING,
  x448: AGREEING,
  dh: AGREEING,
};

/** Allowed usages of a key by its half of the pair and its algorithm; none for unknown ones. */
export function usagesOf({ type, asymmetricKeyType }: KeyObject): ReadonlySet<KeyUsage> {
  const halves = byType[asymmetricKeyType ?? ''];
  return new Set(type === 'secret' ? [] : (halves?.[type] ?? []));
}
