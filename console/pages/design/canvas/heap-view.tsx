import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { objectOf } from '../../../../contract/document/lenient-parts.ts';
import type { Path } from '../../../../contract/problem.ts';
import { counted } from '../../../parts/figures.ts';
import { Badge } from '../../../parts/state-badge.tsx';
import { DeclarationForm } from '../forms/declaration-form.tsx';
import { isSamePath, pointerOf } from '../forms/pointer.ts';
import { removeStep, renameObject } from './canvas-edits.ts';
import { useCanvas } from './canvas-setting.ts';
import type { HeapObject } from './references.ts';
import { settingsOf } from './step-settings.ts';

/** The named objects of a route, each with the places that use it. */
export function HeapView(): JSX.Element {
  const { heapObjects, open } = useCanvas();
  return (
    <section class="heap" aria-label="Named objects">
      <div class="heap-head">
        <h2>Named objects</h2>
        <button type="button" class="quiet" onClick={() => open({ kind: 'heap' })}>
          Add a named object
        </button>
      </div>
      {heapObjects.length === 0 ? (
        <p class="field-about">None. An object with a name can be used at several places.</p>
      ) : (
        <ul>
          {heapObjects.map((object) => (
            <li key={pointerOf(object.path)}>
              <NamedObject named={object} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function NamedObject({ named }: { readonly named: HeapObject }): JSX.Element {
  const { selected, show, marks, draft, announce } = useCanvas();
  const { path, name, type, object, users } = named;
  const isSelected = selected !== null && isSamePath(selected, path);
  const mark = marks.get(pointerOf(path));
  const remove = (): void => {
    if (!removeStep(draft, path)) return;
    announce(`${name} removed`);
    show(null);
  };
  return (
    <div class={`step is-object${isSelected ? ' is-selected' : ''}`}>
      <button
        type="button"
        class="step-head"
        data-at={pointerOf(path)}
        aria-expanded={isSelected}
        onClick={() => show(isSelected ? null : path)}
      >
        <span class="step-title">
          <span class="step-type">{name === '' ? 'no name' : name}</span>
          <span class="step-name">{type}</span>
          {mark === undefined ? null : (
            <Badge
              tone={mark.errors > 0 ? 'bad' : 'warn'}
              word={mark.errors > 0 ? counted(mark.errors, 'error') : counted(mark.warnings, 'warning')}
            />
          )}
          <span class="step-note">{users.length === 0 ? 'not used in this route' : `used ${times(users.length)}`}</span>
        </span>
        <span class="step-settings">{settingsOf(objectOf(object['config']), [])}</span>
      </button>
      {isSelected ? (
        <div class="step-body">
          <div class="step-tools">
            <button type="button" class="quiet" onClick={remove}>
              Remove
            </button>
          </div>
          <NameField named={named} />
          <Users users={users} />
          <DeclarationForm value={object} path={path} />
        </div>
      ) : null}
    </div>
  );
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

/** The name, which changes at all places that use it. */
function NameField({ named }: { readonly named: HeapObject }): JSX.Element {
  const { draft, announce, heapObjects } = useCanvas();
  const [typed, setTyped] = useState<string | null>(null);
  const isTaken = typed !== null && typed !== named.name && heapObjects.some(({ name }) => name === typed);
  const commit = (): void => {
    if (typed !== null && renameObject(draft, named, typed.trim())) announce(`${named.name} is now ${typed.trim()}`);
    setTyped(null);
  };
  const id = `name${pointerOf(named.path).replaceAll('/', '-')}`;
  return (
    <div class="field">
      <div class="field-head">
        <label for={id} class="field-name">
          name
        </label>
      </div>
      <input
        id={id}
        type="text"
        spellcheck={false}
        autocomplete="off"
        value={typed ?? named.name}
        aria-invalid={isTaken ? true : undefined}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onBlur={commit}
        onKeyDown={(event) => event.key === 'Enter' && commit()}
      />
      {isTaken ? <p class="field-fault">is the name of another object</p> : null}
    </div>
  );
}

function Users({ users }: { readonly users: readonly Path[] }): JSX.Element | null {
  const { select } = useCanvas();
  if (users.length === 0) return null;
  return (
    <p class="users">
      Used by{' '}
      {users.map((user) => (
        <button key={pointerOf(user)} type="button" class="link" onClick={() => select(user)}>
          {user.join('.')}
        </button>
      ))}
    </p>
  );
}
