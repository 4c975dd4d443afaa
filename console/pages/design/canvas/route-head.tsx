import type { JSX } from 'preact';
import type { JsonObject } from '../../../../contract/document/json-value.ts';
import { textOf } from '../../../../contract/document/lenient-parts.ts';
import { Expression } from '../../../parts/code.tsx';
import { counted } from '../../../parts/figures.ts';
import { Badge } from '../../../parts/state-badge.tsx';
import { FieldRows } from '../forms/field-rows.tsx';
import { useCanvas } from './canvas-setting.ts';

/** Fields that the canvas shows by itself. */
const ELSEWHERE = ['handler', 'heap'];
/** Fields that most routes have. */
const USUAL = ['condition', 'name', 'baseURI'];

/** The beginning of a route: which requests it takes, and its own fields when it is selected. */
export function RouteHead({ document }: { readonly document: JsonObject }): JSX.Element {
  const { selected, show, catalogue, marks } = useCanvas();
  const isSelected = selected !== null && selected.length === 0;
  const mark = marks.get('');
  const { condition, baseURI } = document;
  const fields = [...catalogue.shown.route, ...catalogue.shown.decorations]
    .map((field) => (USUAL.includes(field.name) ? field : { ...field, isAdvanced: true as const }))
    .sort((a, b) => rank(a.name) - rank(b.name));
  return (
    <div class={`step is-route${isSelected ? ' is-selected' : ''}`}>
      <button
        type="button"
        class="step-head"
        data-at=""
        aria-expanded={isSelected}
        onClick={() => show(isSelected ? null : [])}
      >
        <span class="step-title">
          <span class="step-type">Requests</span>
          {typeof condition === 'string' ? (
            <span class="step-condition">
              if <Expression text={condition} />
            </span>
          ) : (
            <span class="step-note">all that reach the route</span>
          )}
          {mark === undefined ? null : (
            <Badge
              tone={mark.errors > 0 ? 'bad' : 'warn'}
              word={mark.errors > 0 ? counted(mark.errors, 'error') : counted(mark.warnings, 'warning')}
            />
          )}
        </span>
        <span class="step-settings">{textOf(baseURI) === '' ? '' : `to ${textOf(baseURI)}`}</span>
      </button>
      {isSelected ? (
        <div class="step-body">
          <FieldRows fields={fields} rules={[]} value={document} path={[]} id="route" hidden={ELSEWHERE} />
        </div>
      ) : null}
    </div>
  );
}

function rank(name: string): number {
  const at = USUAL.indexOf(name);
  return at < 0 ? USUAL.length : at;
}
