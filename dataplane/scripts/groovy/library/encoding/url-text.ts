import type { Runtime } from '../../values/java-class.ts';
import { chargeItems } from '../../values/meter.ts';
import { ESCAPE_BYTES } from '../text/uri-characters.ts';
import { decodeBytes, encodeText } from './charsets.ts';

/** `URLEncoder.encode`: a form, where a space is a plus sign. */
export function formEncoded(text: string, charset = 'UTF-8'): string {
  return text.replaceAll(/[^A-Za-z0-9.\-*_ ]+/g, (run) => escapes(encodeText(charset, run))).replaceAll(' ', '+');
}

export function escapes(bytes: Uint8Array): string {
  chargeItems(bytes.length, ESCAPE_BYTES);
  return Array.from(bytes, (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

/** `URLDecoder.decode`. */
export function formDecoded(rt: Runtime, text: string, charset = 'UTF-8'): string {
  const spaced = text.replaceAll('+', ' ');
  const incomplete = /%(?:.?$)/s.exec(spaced);
  return spaced.replaceAll(/(?:%[0-9a-fA-F]{2})+|%/g, (run) => {
    chargeItems(run.length, ESCAPE_BYTES);
    if (run !== '%') return decodeBytes(charset, Buffer.from(run.replaceAll('%', ''), 'hex'));
    if (incomplete !== null) {
      return rt.fail('java.lang.IllegalArgumentException', 'URLDecoder: Incomplete trailing escape (%) pattern');
    }
    const at = spaced.search(/%(?![0-9a-fA-F]{2})/);
    const pair = spaced.slice(at + 1, at + 3);
    if (/^-[0-9a-fA-F]$/.test(pair))
      return rt.fail(
        'java.lang.IllegalArgumentException',
        'URLDecoder: Illegal hex characters in escape (%) pattern - negative value',
      );
    return rt.fail(
      'java.lang.IllegalArgumentException',
      `URLDecoder: Illegal hex characters in escape (%) pattern - Error at index 0 in: "${pair}"`,
    );
  });
}
