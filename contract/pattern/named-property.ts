import { binaryProperties, categories, javaMethods, posixClasses, unicodePosixClasses } from './character-classes.ts';
import type { CodePoints } from './code-points.ts';
import { unicodeBlocks } from './unicode-blocks.ts';
import { unicodeProperty } from './unicode-property.ts';

/** Which flags a property is read under. */
export interface PropertyFlags {
  readonly ignoreCase: boolean;
  readonly unicodeClasses: boolean;
}

/** The characters of `\p{name}`, or undefined for a name that Java does not know or that cannot be told here. */
export function namedProperty(name: string, flags: PropertyFlags): CodePoints | undefined {
  const equals = name.indexOf('=');
  if (equals >= 0) return assignedProperty(name.slice(0, equals).toLowerCase(), name.slice(equals + 1), flags);
  if (name.startsWith('In')) return block(name.slice(2));
  if (name.startsWith('Is')) {
    const rest = name.slice(2);
    return binary(rest, flags) ?? plainName(rest, flags) ?? script(rest);
  }
  return (flags.unicodeClasses ? unicodePosix(name, flags) : undefined) ?? plainName(name, flags);
}

function assignedProperty(key: string, value: string, flags: PropertyFlags): CodePoints | undefined {
  if (key === 'sc' || key === 'script') return script(value);
  if (key === 'blk' || key === 'block') return block(value);
  if (key === 'gc' || key === 'general_category') return plainName(value, flags);
  return undefined;
}

function plainName(name: string, { ignoreCase }: PropertyFlags): CodePoints | undefined {
  if (ignoreCase) {
    if (/^(?:Lower|Upper)$/.test(name)) return posixClasses.get('Alpha')!();
    if (/^(?:Lu|Ll|Lt)$/.test(name)) return unicodeProperty('Lu', 'Ll', 'Lt');
    if (/^java(?:Lower|Upper|Title)Case$/.test(name)) return anyCase();
  }
  return (posixClasses.get(name) ?? categories.get(name) ?? javaMethods.get(name))?.();
}

function binary(name: string, { ignoreCase }: PropertyFlags): CodePoints | undefined {
  const key = name.toUpperCase();
  if (ignoreCase && /^(?:LOWER|UPPER|TITLE)CASE$/.test(key)) return anyCase();
  return binaryProperties.get(key)?.();
}

function unicodePosix(name: string, { ignoreCase }: PropertyFlags): CodePoints | undefined {
  const key = name.toUpperCase();
  if (ignoreCase && /^(?:LOWER|UPPER)$/.test(key)) return anyCase();
  return unicodePosixClasses.get(key)?.();
}

function anyCase(): CodePoints {
  return unicodeProperty('Lowercase', 'Uppercase', 'Lt');
}

/** Java takes names of scripts in any case; the engine wants the spelling of Unicode. */
function script(name: string): CodePoints | undefined {
  if (!/^[A-Za-z_]+$/.test(name)) return undefined;
  const spelled = name.toLowerCase().replace(/(?:^|_)[a-z]/g, (start) => start.toUpperCase());
  try {
    return unicodeProperty(`Script=${spelled}`);
  } catch {
    return undefined;
  }
}

function block(name: string): CodePoints | undefined {
  return unicodeBlocks.get(name.toUpperCase().replace(/[ _-]/g, ''));
}
