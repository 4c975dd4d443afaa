import { canonicalPath, judgeTarget, target } from '../../dataplane/engine/head/target.ts';
import type { Random } from './random.ts';
import { type Complaint, type Subject, shorter } from './subject.ts';
import { decodeOnce, modelTarget } from './target-model.ts';

export interface TargetCase {
  readonly target: string;
}

const PIECES = [
  ...[
    '/',
    '/',
    '/',
    '.',
    '..',
    '...',
    '%2e',
    '%2E',
    '%2f',
    '%2F',
    '%5c',
    '\\',
    ';',
    ';a=b',
    '%3b',
    '%3B',
    '?',
    '#',
    '%23',
  ],
  ...[
    '%00',
    '%0a',
    '%1f',
    '%7f',
    '%20',
    '%25',
    '%252e',
    '%',
    '%2',
    '%zz',
    '%c0%af',
    '%e0%80%af',
    '%c3%a9',
    '%ed%a0%80',
  ],
  ...[
    '%f0%9f%98%80',
    '%ff',
    '%80',
    '%ef%bb%bf',
    '%C3',
    '%A9',
    '%41',
    '%7E',
    '%2B',
    '+',
    '~',
    '*',
    ':',
    '@',
    '//',
    'a',
    'B',
  ],
  ...['admin', '"', '|', '^', '`', '{', '}', '<', '>', '[', ']', "'", '!', '$', '&', '(', ')', ',', '=', '%3F', '%3f'],
];

/** Targets full of encodings: what is forwarded has one spelling, and means what was asked for. */
export class TargetSubject implements Subject<TargetCase> {
  readonly name = 'target';
  readonly lanes = 1;
  runs = 0;

  make(random: Random): TargetCase {
    const origin = `/${random.some(random.pick([2, 4, 12]), () => random.pick(PIECES))}`;
    if (!random.once(8)) return { target: origin };
    return {
      target: `${random.pick(['http', 'HTTPS', 'ftp', 'http:'])}://${random.pick(['a', 'a:1', '[::1]', ''])}${origin}`,
    };
  }

  *smaller(input: TargetCase): Iterable<TargetCase> {
    for (const target of shorter(input.target)) yield { target };
  }

  open() {
    return Promise.resolve({
      check: (input: TargetCase) => this.check(input.target),
      close: () => Promise.resolve(),
    });
  }

  private check(text: string): Complaint | null {
    this.runs++;
    const bytes = Buffer.from(`x${text} HTTP/1.1\0`, 'latin1');
    const queries = (['pass', 'encode', 'refuse'] as const)[text.length % 3]!;
    const accepted = judgeTarget(bytes, 1, 1 + text.length, false, queries);
    const expected = modelTarget(text, 'GET', queries);
    if (!accepted) return expected === null ? null : { kind: 'refused', detail: `model: ${expected.target}` };
    const forwarded = target.rewritten ?? text;
    const complaint = (kind: string): Complaint => ({ kind, detail: `forwarded: ${forwarded}` });
    if (forwarded !== expected?.target) return complaint('differs from the model');
    if (target.scheme !== expected.scheme || target.authority !== expected.authority) return complaint('authority');
    const path = forwarded.split('?', 1)[0]!;
    if (target.rewritten === null && target.pathEnd !== path.length) return complaint('end of path');
    if (canonicalPath(path) !== path) return complaint('not a fixpoint');
    const decoded = decodeOnce(path).toString('latin1');
    if (/[\\\x00-\x1f\x7f]/.test(decoded)) return complaint('dangerous byte');
    if (/(?:^|\/)\.\.?(?:[/;]|$)/.test(decoded)) return complaint('dot segment');
    if (decoded.split('/').length !== path.split('/').length) return complaint('other segments');
    return null;
  }
}
