import type { JSX } from 'preact';
import type { JsonValue } from '../../../contract/document/json-value.ts';

/** Values that an object or a condition has read, by the expressions that read them. */
export function SeenList({ seen }: { readonly seen: readonly (readonly [string, JsonValue])[] }): JSX.Element | null {
  if (seen.length === 0) return null;
  return (
    <dl class="seen">
      {seen.map(([expression, value]) => (
        <div key={expression}>
          <dt>{expression}</dt>
          <dd>{JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
