import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ShownType } from '../../../../contract/shown/shown-catalogue.ts';
import { searchTypes } from '../../../catalogue/search-types.ts';
import { Icon } from '../../../shell/icons.tsx';
import { Prose } from '../forms/prose.tsx';
import { type Target, useCanvas } from './canvas-setting.ts';
import { TypeName } from './type-name.tsx';

const GROUPS: readonly (readonly [title: string, isIn: (kind: string) => boolean])[] = [
  ['Filters', (kind) => kind === 'filter'],
  ['Handlers', (kind) => kind === 'handler'],
  ['Other objects', (kind) => kind !== 'filter' && kind !== 'handler' && kind !== 'decorator'],
];

/** The catalogue: types to drag into the route, or to choose for a place. */
export function Palette({ choose }: { readonly choose: (type: ShownType) => void }): JSX.Element {
  const { catalogue, target, open } = useCanvas();
  const [text, setText] = useState('');
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), [target]);
  const types = searchTypes(catalogue.shown.types, text).filter(({ kind }) => isFor(kind, target));
  const groups = GROUPS.map(([title, isIn]) => ({ title, found: types.filter(({ kind }) => isIn(kind)) })).filter(
    ({ found }) => found.length > 0,
  );
  const keys = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') open(null);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || !(event.currentTarget instanceof HTMLElement)) return;
    event.preventDefault();
    const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('input, .palette-type')];
    const at = stops.indexOf(document.activeElement as HTMLElement);
    stops[Math.max(0, Math.min(stops.length - 1, at + step))]?.focus();
  };
  return (
    <section class="palette" aria-label="Catalogue" onKeyDown={keys}>
      <div class="palette-head">
        <p class="palette-title">{titleOf(target)}</p>
        <button type="button" class="sign" aria-label="Close the catalogue" onClick={() => open(null)}>
          ×
        </button>
      </div>
      <label class="filter">
        <span class="unseen">Search types by name or need</span>
        <Icon name="filter" />
        <input
          ref={input}
          type="search"
          placeholder="Name or need, such as throttle"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      {/* A list that scrolls can be reached with keys. */}
      <div class="palette-list">
        {groups.map(({ title, found }) => (
          <div key={title}>
            <p class="palette-group">{title}</p>
            <ul>
              {found.map((type) => (
                <li key={type.type}>
                  <TypeButton type={type} choose={choose} />
                </li>
              ))}
            </ul>
          </div>
        ))}
        {types.length === 0 ? <p class="faint">No type matches.</p> : null}
      </div>
    </section>
  );
}

function TypeButton({
  type,
  choose,
}: {
  readonly type: ShownType;
  readonly choose: (type: ShownType) => void;
}): JSX.Element {
  const { drag } = useCanvas();
  return (
    <button
      type="button"
      class="palette-type"
      draggable
      onClick={() => choose(type)}
      onDragStart={(event) => {
        event.dataTransfer?.setData('text/plain', type.type);
        drag({ type: type.type, kind: type.kind });
      }}
      onDragEnd={() => drag(null)}
    >
      <span class="palette-name">
        <TypeName name={type.type} />
      </span>
      <span class="palette-about">
        <Prose text={firstSentence(type.summary)} />
      </span>
    </button>
  );
}

function isFor(kind: string, target: Target | null): boolean {
  if (target === null || target.kind === 'heap') return true;
  return kind === target.kind;
}

function titleOf(target: Target | null): string {
  if (target === null) return 'Drag a type into the route';
  if (target.kind === 'filter') return 'Insert a filter here';
  return target.kind === 'handler' ? 'Choose a handler' : 'Add a named object';
}

function firstSentence(text: string): string {
  return /^.*?[.](?=\s|$)/s.exec(text)?.[0] ?? text;
}
