import type { Shape } from '../language.ts';

/**
 * The name of whom a certificate is for or by, the most specific part first, as RFC 2253 writes it. What is not ASCII
 * is escaped, so that a name from outside can stand in a header.
 */
export class CertificateName {
  readonly name: string;
  /** As Java prints it. */
  readonly text: string;

  /** `lines`: the parts as Node.js gives them, in the order of the certificate; `separator`: what stands between them in the name. */
  constructor(lines: string | undefined, separator: ', ' | ',') {
    const parts = escaped(lines ?? '')
      .split('\n')
      .reverse();
    this.name = parts.join(separator);
    this.text = parts.join(', ');
  }
}

/** How expressions see a name: by itself it is its text. */
export const certificateNameShape: Shape<CertificateName> = {
  name: 'name of a certificate',
  properties: { name: { get: ({ name }) => name, kind: 'text' } },
  text: ({ text }) => text,
  isText: true,
};

function escaped(text: string): string {
  return text.replaceAll(/[^\n -~]+/g, (other) =>
    Buffer.from(other).toString('hex').toUpperCase().replaceAll(/../g, '\\$&'),
  );
}
