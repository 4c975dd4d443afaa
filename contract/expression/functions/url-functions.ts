import type { FunctionRows, LanguageFunction } from '../language.ts';
import type { Value } from '../value.ts';

const UNRESERVED = 'A-Za-z0-9._~\\-';

/** Functions that escape what URLs and forms are made of; null and what cannot be decoded give null. */
export const urlFunctions: FunctionRows = [
  ['urlEncodePathElement', encoder(`${UNRESERVED}!$&'()*+,;=:@`)],
  ['urlDecodePathElement', decoder(false)],
  ['urlEncodeQueryParameterNameOrValue', encoder(`${UNRESERVED}!$'()*,;:@/?`)],
  ['urlDecodeQueryParameterNameOrValue', decoder(false)],
  ['urlEncodeFragment', encoder(`${UNRESERVED}!$&'()*+,;=:@/?`)],
  ['urlDecodeFragment', decoder(false)],
  ['urlEncodeUserInfo', encoder(`${UNRESERVED}!$&'()*+,;=:`)],
  ['urlDecodeUserInfo', decoder(false)],
  ['formEncodeParameterNameOrValue', encoder('A-Za-z0-9.*_ \\-', '+')],
  ['formDecodeParameterNameOrValue', decoder(true)],
  ['urlEncode', { ...encoder('A-Za-z0-9.*_ \\-', '+'), replacedBy: 'formEncodeParameterNameOrValue' }],
  ['urlDecode', { ...decoder(true), replacedBy: 'formDecodeParameterNameOrValue' }],
];

/** Percent-encodes what is not in the class of characters, as UTF-8; a space may become something else. */
function encoder(safe: string, space = '%20'): LanguageFunction {
  const unsafe = new RegExp(`[^${safe}]+`, 'g');
  function encode(text: Value): Value {
    if (typeof text !== 'string') return null;
    const encoded = text.toWellFormed().replace(unsafe, percentEncoded);
    return space === '%20' ? encoded : encoded.replaceAll(' ', space);
  }
  return { takes: 'one', first: 'text', steps: 8, call: encode };
}

function percentEncoded(text: string): string {
  return Buffer.from(text, 'utf8').toString('hex').toUpperCase().replace(/../g, '%$&');
}

function decoder(plusIsSpace: boolean): LanguageFunction {
  function decode(text: Value): Value {
    if (typeof text !== 'string') return null;
    try {
      return decodeURIComponent(plusIsSpace ? text.replaceAll('+', ' ') : text);
    } catch {
      return null;
    }
  }
  return { takes: 'one', first: 'text', steps: 4, call: decode };
}
