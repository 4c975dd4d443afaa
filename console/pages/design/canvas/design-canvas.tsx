import type { JSX } from 'preact';
import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
import { isJsonObject, type JsonObject } from '../../../../contract/document/json-value.ts';
import type { Path } from '../../../../contract/problem.ts';
import type { ShownType } from '../../../../contract/shown/shown-catalogue.ts';
import type { Catalogue } from '../../../catalogue/catalogue.ts';
import { loadedCatalogue } from '../../../catalogue/load-catalogue.ts';
import { usePoll } from '../../../client/use-poll.ts';
import { Empty, Shown } from '../../../parts/notes.tsx';
import { setParameters, usePlace } from '../../../shell/place.ts';
import { Control } from '../forms/control.tsx';
import { FormContext, type ShownProblem } from '../forms/form-setting.ts';
import { pathOfPointer, pointerOf } from '../forms/pointer.ts';
import { newObject } from '../forms/starting-value.ts';
import { addToHeap, insertFilter, moveFilter } from './canvas-edits.ts';
import { CanvasContext, type CanvasSetting, type Dragged, type Target } from './canvas-setting.ts';
import type { EditedDraft } from './edited-draft.ts';
import { HeapView } from './heap-view.tsx';
import { Palette } from './palette.tsx';
import { problemMarks } from './problem-marks.ts';
import { heapObjects } from './references.ts';
import { RouteHead } from './route-head.tsx';
import { allSteps, routeSteps } from './route-steps.ts';
import { SequenceView } from './sequence-view.tsx';
import { stepFor } from './step-for.ts';

export interface DesignCanvasProps {
  readonly draft: EditedDraft;
  /** Problems that the gateway found in the document. */
  readonly problems: readonly ShownProblem[];
}

/** A route as a picture that can be edited: its condition, its filters in their order, its handler, its named objects. */
export function DesignCanvas({ draft, problems }: DesignCanvasProps): JSX.Element {
  const [, renderAgain] = useReducer((count: number, _: undefined) => count + 1, 0);
  useEffect(() => draft.subscribe(() => renderAgain(undefined)), [draft]);
  const known = usePoll(loadedCatalogue);
  const { document } = draft;
  return (
    <Shown known={known} what="the catalogue of types" retry={loadedCatalogue.refresh}>
      {(catalogue) =>
        isJsonObject(document) ? (
          <Canvas draft={draft} problems={problems} catalogue={catalogue} document={document} />
        ) : (
          <Empty title="There is no route to show">
            <p>The text is not an object. Correct it, or undo the last change.</p>
          </Empty>
        )
      }
    </Shown>
  );
}

interface CanvasProps extends DesignCanvasProps {
  readonly catalogue: Catalogue;
  readonly document: JsonObject;
}

function Canvas({ draft, problems, catalogue, document }: CanvasProps): JSX.Element {
  const { query } = usePlace();
  const root = useRef<HTMLDivElement>(null);
  const wanted = useRef<string | null>(null);
  const [target, setTarget] = useState<Target | null>(null);
  const [isOpen, setOpen] = useState(false);
  const [dragged, setDragged] = useState<Dragged | null>(null);
  const [said, setSaid] = useState('');
  const sequence = routeSteps(document, catalogue);
  const heap = heapObjects(document, catalogue);
  const steps = allSteps(sequence);
  const pointer = query.get('at');
  // An empty parameter would be left out of the address.
  const path = pointer === null ? null : pathOfPointer(pointer === '/' ? '' : pointer, document);
  const selected = path === null ? null : stepFor(path, steps, heap);

  // The object that was made or moved gets the focus when it has been drawn.
  useEffect(() => {
    if (wanted.current === null) return;
    const head = root.current?.querySelector<HTMLElement>(`[data-at="${CSS.escape(wanted.current)}"]`);
    if (head === null || head === undefined) return;
    wanted.current = null;
    head.focus();
    head.scrollIntoView({ block: 'nearest' });
  });

  const show = (to: Path | null): void => {
    wanted.current = to === null ? null : pointerOf(to);
    setParameters({ at: to === null ? null : pointerOf(to) || '/' });
  };
  const open = (next: Target | null): void => {
    setTarget(next);
    setOpen(next !== null);
  };
  const made = (to: Path | null, text: string): void => {
    open(null);
    if (to === null) return;
    setSaid(text);
    show(to);
  };
  const put = (type: ShownType, at: Target): void => {
    const object = newObject(type) as JsonObject;
    if (at.kind === 'filter') made(insertFilter(draft, at.sequence, at.index, object), `${type.type} inserted`);
    else if (at.kind === 'heap') made(addToHeap(draft, object, type.type), `${type.type} added`);
    else made(draft.set(at.path, object) ? at.path : null, `${type.type} is the handler`);
  };
  const choose = (type: ShownType): void => {
    if (target !== null) put(type, target);
    else if (type.kind === 'filter') put(type, { kind: 'filter', sequence, index: sequence.filters.length });
    else if (type.kind === 'handler' && sequence.handlerAt !== null)
      put(type, { kind: 'handler', path: sequence.handlerAt });
    else put(type, { kind: 'heap' });
  };
  const drop = (at: Target): void => {
    if (dragged === null) return;
    setDragged(null);
    if ('type' in dragged) put(catalogue.find(dragged.type)!, at);
    else if (at.kind === 'filter') made(moveFilter(draft, dragged.step, at.sequence, at.index), 'Filter moved');
  };
  const setting: CanvasSetting = {
    ...{ draft, catalogue, problems, Control, selected, heapObjects: heap, dragged, target, show, open, drop },
    heap: new Map(heap.map(({ name, type }) => [name, type])),
    marks: problemMarks(problems, steps, heap),
    select: (to) => show(stepFor(to, steps, heap) ?? to),
    announce: setSaid,
    drag: setDragged,
  };
  return (
    <CanvasContext.Provider value={setting}>
      <FormContext.Provider value={setting}>
        <div class={`canvas${isOpen ? ' with-palette' : ''}${dragged === null ? '' : ' is-dragging'}`} ref={root}>
          {isOpen ? <Palette choose={choose} /> : null}
          <div class="canvas-main">
            <div class="canvas-tools">
              <button type="button" aria-expanded={isOpen} onClick={() => (isOpen ? open(null) : setOpen(true))}>
                Catalogue
              </button>
              {draft.faults.length === 0 ? null : (
                <p class="warn-text" role="status">
                  The text cannot be read, so that only the text can be edited. This is the last route that could be
                  read.
                </p>
              )}
            </div>
            <p id="canvas-keys" class="unseen">
              Enter opens the form. Alt and the arrow keys move a filter, Insert adds one after it, Delete removes it.
            </p>
            <fieldset class="canvas-route" disabled={draft.faults.length > 0}>
              <RouteHead document={document} />
              <SequenceView sequence={sequence} label="Way of a request" />
              <HeapView />
            </fieldset>
          </div>
          <p class="unseen" aria-live="polite">
            {said}
          </p>
        </div>
      </FormContext.Provider>
    </CanvasContext.Provider>
  );
}
