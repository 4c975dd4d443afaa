import type { AddBreach } from '../../../contract/vocabulary/rules-about.ts';
import { constantText, type RuntimeExpression } from '../../../contract/vocabulary/runtime.ts';
import { headerBytes } from '../../engine/head/header-text.ts';
import { Headers } from '../../engine/head/headers.ts';

/** Adds a problem for each constant value of a header that would make every message fail. */
export function refuseUnwritableValues(
  headers: Readonly<Record<string, readonly RuntimeExpression<string>[]>>,
  field: string,
  add: AddBreach,
  write: (value: string) => string | null = headerBytes,
): void {
  for (const [name, values] of Object.entries(headers)) {
    for (const [index, value] of values.entries()) {
      const text = constantText(value);
      const written = text === null ? null : write(text);
      if (written !== null && !isWritable(name, written)) add([field, name, index], faultOf(name));
    }
  }
}

function isWritable(name: string, value: string): boolean {
  try {
    Headers.empty().append(name, value);
    return true;
  } catch {
    return false;
  }
}

function faultOf(name: string): string {
  if (name.toLowerCase() === 'host') return "must be a host, with or without a port, such as 'app.example.com:8080'";
  return 'must hold no control character';
}
