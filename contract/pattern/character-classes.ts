import { anyCodePoint, type CodePoints, charactersOf, complement, difference, union } from './code-points.ts';
import { unicodeProperty } from './unicode-property.ts';

export const lineTerminators = charactersOf('\n\r\u0085\u2028\u2029');
export const newline = charactersOf('\n');
export const horizontalSpace: CodePoints = union(
  charactersOf('\t \u00a0\u1680\u180e\u202f\u205f\u3000'),
  [0x2000, 0x200a],
);
export const verticalSpace: CodePoints = union([0x0a, 0x0d], charactersOf('\u0085\u2028\u2029'));

const digits: CodePoints = [0x30, 0x39];
const upperLetters: CodePoints = [0x41, 0x5a];
const lowerLetters: CodePoints = [0x61, 0x7a];
const letters = union(upperLetters, lowerLetters);
const alphanumerics = union(digits, letters);
const graphics: CodePoints = [0x21, 0x7e];
const spaces: CodePoints = union([0x09, 0x0d], [0x20, 0x20]);

/** A set that is made when it is asked for, since reading a property of Unicode takes milliseconds. */
type Making = () => CodePoints;

/** Makes a set once, since matching asks for some of them at every character. */
function once(make: Making): Making {
  let made: CodePoints | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const general = (...names: string[]): Making => once(() => unicodeProperty(...names));
const always =
  (set: CodePoints): Making =>
  () =>
    set;

/** `\d`, `\s` and `\w`, and what they are with the flag U. */
export const shorthands: Readonly<Record<'d' | 's' | 'w', { plain: Making; unicode: Making }>> = {
  d: { plain: always(digits), unicode: general('Nd') },
  s: { plain: always(spaces), unicode: general('White_Space') },
  w: {
    plain: always(union(alphanumerics, charactersOf('_'))),
    unicode: general('Alphabetic', 'M', 'Nd', 'Pc', 'Join_Control'),
  },
};

export const lettersAndDigits: Making = general('L', 'Nd');

/** Characters that `\b` counts as part of a word; Java goes beyond `\w` here. */
export const boundaryWord: Making = once(() => union(lettersAndDigits(), charactersOf('_')));

/** The characters that belong to the one before them. */
export const combiningMarks: Making = general('Mn');

export const posixClasses: ReadonlyMap<string, Making> = new Map([
  ['ASCII', always([0, 0x7f])],
  ['Alnum', always(alphanumerics)],
  ['Alpha', always(letters)],
  ['Blank', always(charactersOf(' \t'))],
  ['Cntrl', always(union([0, 0x1f], [0x7f, 0x7f]))],
  ['Digit', always(digits)],
  ['Graph', always(graphics)],
  ['Lower', always(lowerLetters)],
  ['Print', always([0x20, 0x7e])],
  ['Punct', always(difference(graphics, alphanumerics))],
  ['Space', always(spaces)],
  ['Upper', always(upperLetters)],
  ['XDigit', always(union(digits, [0x41, 0x46], [0x61, 0x66]))],
]);

/** The same names with the flag U, in upper case since Java does not tell the cases of these apart. */
export const unicodePosixClasses: ReadonlyMap<string, Making> = new Map([
  ['ALNUM', general('Alphabetic', 'Nd')],
  ['ALPHA', general('Alphabetic')],
  ['BLANK', () => union(unicodeProperty('Zs'), charactersOf('\t'))],
  ['CNTRL', general('Cc')],
  ['DIGIT', general('Nd')],
  ['GRAPH', unicodeGraphics],
  ['LOWER', general('Lowercase')],
  ['PRINT', () => difference(union(unicodeGraphics(), unicodeProperty('Zs')), unicodeProperty('Cc'))],
  ['PUNCT', general('P')],
  ['SPACE', general('White_Space')],
  ['UPPER', general('Uppercase')],
  ['XDIGIT', general('Nd', 'Hex_Digit')],
]);

/** Properties that Java reads from `\p{Is…}` in any case. */
export const binaryProperties: ReadonlyMap<string, Making> = new Map([
  ['ALPHABETIC', general('Alphabetic')],
  ['ASSIGNED', () => complement(unicodeProperty('Cn'))],
  ['CONTROL', general('Cc')],
  ['DIGIT', general('Nd')],
  ['HEXDIGIT', general('Nd', 'Hex_Digit')],
  ['HEX_DIGIT', general('Nd', 'Hex_Digit')],
  ['IDEOGRAPHIC', general('Ideographic')],
  ['JOINCONTROL', general('Join_Control')],
  ['JOIN_CONTROL', general('Join_Control')],
  ['LETTER', general('L')],
  ['LOWERCASE', general('Lowercase')],
  ['NONCHARACTERCODEPOINT', general('Noncharacter_Code_Point')],
  ['NONCHARACTER_CODE_POINT', general('Noncharacter_Code_Point')],
  ['PUNCTUATION', general('P')],
  ['TITLECASE', general('Lt')],
  ['UPPERCASE', general('Uppercase')],
  ['WHITESPACE', general('White_Space')],
  ['WHITE_SPACE', general('White_Space')],
]);

/** The methods of `java.lang.Character` that can be asked for by name. */
export const javaMethods: ReadonlyMap<string, Making> = new Map([
  ['javaAlphabetic', general('Alphabetic')],
  ['javaDefined', () => complement(unicodeProperty('Cn'))],
  ['javaDigit', general('Nd')],
  ['javaISOControl', general('Cc')],
  ['javaIdentifierIgnorable', identifierIgnorable],
  ['javaIdeographic', general('Ideographic')],
  [
    'javaJavaIdentifierPart',
    () => union(unicodeProperty('L', 'Nl', 'Sc', 'Pc', 'Nd', 'Mc', 'Mn'), identifierIgnorable()),
  ],
  ['javaJavaIdentifierStart', general('L', 'Nl', 'Sc', 'Pc')],
  ['javaLetter', general('L')],
  ['javaLetterOrDigit', general('L', 'Nd')],
  ['javaLowerCase', general('Lowercase')],
  ['javaMirrored', general('Bidi_Mirrored')],
  ['javaSpaceChar', general('Z')],
  ['javaTitleCase', general('Lt')],
  ['javaUnicodeIdentifierPart', () => union(unicodeProperty('ID_Continue'), identifierIgnorable())],
  ['javaUnicodeIdentifierStart', general('ID_Start')],
  ['javaUpperCase', general('Uppercase')],
  ['javaWhitespace', javaWhitespace],
]);

/** General categories, by the short names that Java knows. */
export const categories: ReadonlyMap<string, Making> = new Map<string, Making>([
  ...'C Cc Cf Cn Co Cs L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs'
    .split(' ')
    .map((name) => [name, general(name)] as const),
  ['LC', general('Lu', 'Ll', 'Lt')],
  ['LD', general('L', 'Nd')],
  ['L1', always([0, 0xff])],
  ['all', always(anyCodePoint)],
]);

function unicodeGraphics(): CodePoints {
  return complement(unicodeProperty('White_Space', 'Cc', 'Cs', 'Cn'));
}

function identifierIgnorable(): CodePoints {
  return union([0, 0x08], [0x0e, 0x1b], [0x7f, 0x9f], unicodeProperty('Cf'));
}

function javaWhitespace(): CodePoints {
  const withoutNoBreak = difference(unicodeProperty('Z'), charactersOf('\u00a0\u2007\u202f'));
  return union(withoutNoBreak, [0x09, 0x0d], [0x1c, 0x1f]);
}
