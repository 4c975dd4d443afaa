import { z } from 'zod';
import { type CertifiedKey, issueAuthority, issueServing, type Signer, vouchFor } from './issue-certificate.ts';

const DAY = 24 * 60 * 60 * 1_000;
/** Clocks differ: certificates are valid a little before they are made. */
const EARLY = 60 * 60 * 1_000;

/** How long things are valid, in milliseconds. */
export interface Lifetimes {
  readonly authority: number;
  readonly serving: number;
  /** How long a new authority is only told about before it signs: planes need its certificate first. */
  readonly overlap: number;
}

const defaultLifetimes: Lifetimes = { authority: 365 * DAY, serving: 60 * DAY, overlap: 2 * DAY };

const record = z.strictObject({
  version: z.literal(1),
  authorities: z
    .array(
      z.strictObject({
        name: z.string(),
        certificate: z.string(),
        key: z.string(),
        from: z.number(),
        to: z.number(),
        signsFrom: z.number(),
      }),
    )
    .min(1),
});

interface Authority extends Signer {
  readonly from: number;
  readonly to: number;
  /** When it takes over from the one before it. */
  readonly signsFrom: number;
}

/** A certificate of a server with those that vouch for its authority, and when the next one is due. */
export interface IssuedCertificate extends CertifiedKey {
  /** Milliseconds since 1970. */
  readonly renewAt: number;
}

/**
 * The controllers' own authority. It does not change: rotating gives another one. Each authority signs until a third of
 * its life is left; the next one is told about before it signs, and the last one after it has stopped.
 */
export class CertificateAuthority {
  private readonly authorities: readonly Authority[];
  private readonly lifetimes: Lifetimes;

  private constructor(authorities: readonly Authority[], lifetimes: Lifetimes) {
    this.authorities = authorities;
    this.lifetimes = lifetimes;
  }

  /** A first authority, which signs at once. @param now in milliseconds since 1970 */
  static create(now: number, lifetimes: Partial<Lifetimes> = {}): CertificateAuthority {
    const all = { ...defaultLifetimes, ...lifetimes };
    return new CertificateAuthority([newAuthority(now, now, all)], all);
  }

  /** What `serialised` gave. @throws Error when it is something else; the text is not quoted */
  static parse(text: string, lifetimes: Partial<Lifetimes> = {}): CertificateAuthority {
    let content: unknown;
    try {
      content = JSON.parse(text);
    } catch {
      throw new Error('the stored CA is not JSON');
    }
    const read = record.safeParse(content);
    if (!read.success) throw new Error('the stored CA is malformed');
    return new CertificateAuthority(read.data.authorities, { ...defaultLifetimes, ...lifetimes });
  }

  /** For storage that only controllers can read: it holds private keys. */
  serialised(): string {
    return JSON.stringify({ version: 1, authorities: [...this.authorities] } satisfies z.infer<typeof record>);
  }

  /** The certificate of the authority that signs at a moment. */
  current(now: number): string {
    return this.signer(now).certificate;
  }

  /** What planes and callers are to trust: the certificates of all authorities, the newest first. */
  bundle(): string {
    return this.authorities
      .map(({ certificate }) => certificate)
      .reverse()
      .join('');
  }

  /** Whether it is time for a next authority, or for one less. */
  rotate(now: number): CertificateAuthority {
    const kept = this.authorities.filter(({ to }) => to > now);
    const newest = kept.at(-1);
    if (newest === undefined) return CertificateAuthority.create(now, this.lifetimes);
    const isDue = now >= newest.from + (newest.to - newest.from) * (2 / 3);
    if (!isDue) return kept.length === this.authorities.length ? this : this.with(kept);
    // One that has little time left cannot wait for the new one to become known.
    const signsFrom = Math.min(now + this.lifetimes.overlap, Math.max(now, newest.to - this.lifetimes.overlap));
    return this.with([...kept, newAuthority(now, signsFrom, this.lifetimes)]);
  }

  /**
   * A certificate with a new key for a server. Authorities that have stopped to sign vouch for the one that does until they
   * end, for callers that were given none but them. @param names host names and addresses
   */
  issue(names: readonly string[], now: number): IssuedCertificate {
    const signer = this.signer(now);
    const to = Math.min(now + this.lifetimes.serving, signer.to);
    const issued = issueServing(signer, names, { from: now - EARLY, to });
    const next = this.authorities.find(({ signsFrom }) => signsFrom > now);
    const renewAt = now + (to - now) * (2 / 3);
    const vouching = this.authorities
      .filter((one) => one.signsFrom < signer.signsFrom && one.to > now)
      .map((one) => vouchFor(signer, one, { from: now - EARLY, to: one.to }));
    const certificate = [issued.certificate, ...vouching].join('');
    return { key: issued.key, certificate, renewAt: next === undefined ? renewAt : Math.min(renewAt, next.signsFrom) };
  }

  private with(authorities: readonly Authority[]): CertificateAuthority {
    return new CertificateAuthority(authorities, this.lifetimes);
  }

  private signer(now: number): Authority {
    const signer = this.authorities.findLast(({ signsFrom }) => signsFrom <= now) ?? this.authorities[0];
    if (signer === undefined) throw new Error('there is no CA certificate');
    return signer;
  }
}

function newAuthority(now: number, signsFrom: number, { authority }: Lifetimes): Authority {
  const to = now + authority;
  const name = `gatewarden controllers ${new Date(now).toISOString().slice(0, 10)}`;
  return { ...issueAuthority(name, { from: now - EARLY, to }), from: now, to, signsFrom };
}
