import type { JSX } from 'preact';
import { isJsonObject, type JsonObject } from '../../../../contract/document/json-value.ts';
import { objectOf, textOf } from '../../../../contract/document/lenient-parts.ts';
import type { Path } from '../../../../contract/problem.ts';
import { FieldRows } from './field-rows.tsx';
import { useFormSetting } from './form-setting.ts';
import { JsonControl } from './json-control.tsx';
import { pointerOf } from './pointer.ts';
import { Prose } from './prose.tsx';

export interface DeclarationFormProps {
  readonly value: JsonObject;
  /** Where the declaration is in the document. */
  readonly path: Path;
  /** Fields of the configuration that are shown elsewhere. */
  readonly hidden?: readonly string[];
  /** False where the summary of the type is shown elsewhere. */
  readonly showsSummary?: boolean;
}

/** Names of a declaration that are no decorations. */
const OWN = ['name', 'type', 'config'];

/** The form of an object: fields of its type, and decorations. */
export function DeclarationForm({ value, path, hidden, showsSummary = true }: DeclarationFormProps): JSX.Element {
  const { catalogue } = useFormSetting();
  const type = catalogue.find(textOf(value['type']));
  const id = `f${pointerOf(path).replaceAll('/', '-')}`;
  const { config } = value;
  const configPath = [...path, 'config'];
  if (type === null)
    return (
      <div class="declaration">
        <p class="field-fault">
          This version does not know the type ‘{textOf(value['type'])}’. Its configuration is kept as it is.
        </p>
        <JsonControl form={{ kind: 'any' }} path={configPath} value={config} id={`${id}-config`} name="config" />
      </div>
    );
  return (
    <div class="declaration">
      {showsSummary ? <Summary text={type.summary} /> : null}
      {config === undefined || config === null || isJsonObject(config) ? (
        <FieldRows
          fields={type.fields}
          rules={type.rules ?? []}
          value={objectOf(config)}
          path={configPath}
          id={id}
          {...(hidden !== undefined && { hidden })}
        />
      ) : (
        <JsonControl form={{ kind: 'any' }} path={configPath} value={config} id={`${id}-config`} name="config" />
      )}
      <Decorations value={value} path={path} id={id} />
    </div>
  );
}

/** The first sentence of a summary, and the others when somebody wants them. */
function Summary({ text }: { readonly text: string }): JSX.Element {
  const first = /^.*?[.](?=\s|$)/s.exec(text)?.[0] ?? text;
  const rest = text.slice(first.length).trim();
  return (
    <div class="declaration-summary">
      <p>
        <Prose text={first} />
      </p>
      {rest === '' ? null : (
        <details>
          <summary>More about it</summary>
          <p>
            <Prose text={rest} />
          </p>
        </details>
      )}
    </div>
  );
}

/** Decorations beside a declaration: those that are given, and the others folded. */
function Decorations({
  value,
  path,
  id,
}: {
  readonly value: JsonObject;
  readonly path: Path;
  readonly id: string;
}): JSX.Element {
  const { catalogue } = useFormSetting();
  const fields = catalogue.shown.decorations.map((field) => ({ ...field, isAdvanced: true as const }));
  return (
    <div class="decorations">
      <FieldRows fields={fields} rules={[]} value={value} path={path} id={`${id}-beside`} hidden={OWN} />
    </div>
  );
}
