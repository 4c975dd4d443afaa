import { describe, expect, it } from 'vitest';
import { consoleCatalogue } from '../../../cli/output/console-catalogue.ts';
import { Catalogue } from '../../../console/catalogue/catalogue.ts';
import { Draft } from '../../../console/draft/draft.ts';
import {
  addToHeap,
  insertFilter,
  moveFilter,
  removeStep,
  renameObject,
  toHeap,
  toInline,
} from '../../../console/pages/design/canvas/canvas-edits.ts';
import { heapObjects } from '../../../console/pages/design/canvas/references.ts';
import { type CanvasSequence, routeSteps } from '../../../console/pages/design/canvas/route-steps.ts';
import type { JsonObject } from '../../../contract/document/json-value.ts';

const catalogue = new Catalogue(consoleCatalogue());

const TEXT = `# the shop
handler:
  type: Chain # all of it
  config:
    filters:
      # who asks
      - type: OAuth2ResourceServerFilter
        config: {scopes: [read]}
      - type: CsrfFilter # against forgery
      - type: SwitchFilter
        config:
          onRequest:
            - condition: \${a}
              handler: {type: Chain, config: {filters: [x], handler: y}}
    handler: ReverseProxyHandler
    unknown: kept
`;

function open(text = TEXT): Draft {
  return new Draft(text, 'yaml');
}

const sequenceOf = (draft: Draft): CanvasSequence => routeSteps(draft.document as JsonObject, catalogue);
const filtersOf = (draft: Draft): unknown[] => sequenceOf(draft).filters.map(({ type, name }) => name ?? type);
const at = (index: number) => ['handler', 'config', 'filters', index];

describe('an edit on the canvas', () => {
  it('inserts a filter and keeps comments and unknown fields', () => {
    const draft = open();
    expect(insertFilter(draft, sequenceOf(draft), 1, { type: 'CookieFilter' })).toEqual(at(1));
    expect(filtersOf(draft)).toEqual(['OAuth2ResourceServerFilter', 'CookieFilter', 'CsrfFilter', 'SwitchFilter']);
    for (const kept of ['# the shop', '# all of it', '# who asks', '# against forgery', 'unknown: kept'])
      expect(draft.text).toContain(kept);
    draft.undo();
    expect(draft.text).toBe(TEXT);
  });

  it('keeps the comments of a handler that gets its first filter, and the order of its neighbours', () => {
    const text =
      'name: shop\nhandler: # the shop\n  type: ReverseProxyHandler # to the backend\n  config:\n' +
      '    # for slow ones\n    soTimeout: 1 minute\nbaseURI: http://shop\n';
    const draft = open(text);
    expect(insertFilter(draft, sequenceOf(draft), 0, { type: 'CsrfFilter' })).toEqual(at(0));
    expect(Object.keys(draft.document as JsonObject)).toEqual(['name', 'handler', 'baseURI']);
    expect((draft.document as JsonObject)['handler']).toEqual({
      type: 'Chain',
      config: {
        filters: [{ type: 'CsrfFilter' }],
        handler: { type: 'ReverseProxyHandler', config: { soTimeout: '1 minute' } },
      },
    });
    for (const kept of ['# to the backend', '# for slow ones']) expect(draft.text).toContain(kept);
    draft.undo();
    expect(draft.text).toBe(text);
  });

  it('keeps the comments of a named object that is put to the one place that uses it', () => {
    const text =
      'heap:\n  - name: slow # limits\n    type: ThrottlingFilter\n    config:\n      # tuned in May\n      rate: 1\n' +
      'handler:\n  type: Chain\n  config:\n    filters: [slow]\n    handler: shop\n';
    const draft = open(text);
    const [object] = heapObjects(draft.document as JsonObject, catalogue);
    expect(toInline(draft, at(0), object!)).toBe(true);
    expect(draft.document).toEqual({
      handler: {
        type: 'Chain',
        config: { filters: [{ type: 'ThrottlingFilter', config: { rate: 1 } }], handler: 'shop' },
      },
    });
    expect(draft.text).toContain('# tuned in May');
  });

  it('makes a Chain of a handler that gets its first filter', () => {
    const draft = open('handler: shop\n');
    expect(insertFilter(draft, sequenceOf(draft), 0, { type: 'CsrfFilter' })).toEqual(at(0));
    expect(draft.document).toEqual({
      handler: { type: 'Chain', config: { filters: [{ type: 'CsrfFilter' }], handler: 'shop' } },
    });
  });

  it('moves a filter up and down in its list, with its comment', () => {
    const draft = open();
    expect(moveFilter(draft, at(1), sequenceOf(draft), 0)).toEqual(at(0));
    expect(filtersOf(draft)).toEqual(['CsrfFilter', 'OAuth2ResourceServerFilter', 'SwitchFilter']);
    expect(moveFilter(draft, at(0), sequenceOf(draft), 2)).toEqual(at(1));
    expect(filtersOf(draft)).toEqual(['OAuth2ResourceServerFilter', 'CsrfFilter', 'SwitchFilter']);
    expect(draft.text).toContain('CsrfFilter # against forgery');
  });

  it('leaves a filter that is moved to its own place', () => {
    const draft = open();
    for (const index of [1, 2]) expect(moveFilter(draft, at(1), sequenceOf(draft), index)).toEqual(at(1));
    expect(draft.text).toBe(TEXT);
  });

  it('moves a filter into a branch behind it, whose path changes by that', () => {
    const draft = open();
    const branch = sequenceOf(draft).filters[2]!.branches[0]!.sequence;
    const to = [...at(1), 'config', 'onRequest', 0, 'handler', 'config', 'filters', 1];
    expect(moveFilter(draft, at(0), branch, 1)).toEqual(to);
    expect(filtersOf(draft)).toEqual(['CsrfFilter', 'SwitchFilter']);
    const inner = sequenceOf(draft).filters[1]!.branches[0]!.sequence;
    expect(inner.filters.map(({ type, name }) => name ?? type)).toEqual(['x', 'OAuth2ResourceServerFilter']);
  });

  it('does not move a filter into itself', () => {
    const draft = open();
    const branch = sequenceOf(draft).filters[2]!.branches[0]!.sequence;
    expect(moveFilter(draft, at(2), branch, 0)).toBeNull();
    expect(draft.text).toBe(TEXT);
  });

  it('moves a filter in front of a handler without a Chain', () => {
    const draft = open(TEXT.replace('{type: Chain, config: {filters: [x], handler: y}}', 'y'));
    const branch = sequenceOf(draft).filters[2]!.branches[0]!.sequence;
    expect(moveFilter(draft, at(1), branch, 0)).not.toBeNull();
    const inner = sequenceOf(draft).filters[1]!.branches[0]!.sequence;
    expect(inner.filters.map(({ type }) => type)).toEqual(['CsrfFilter']);
    expect(inner.handler?.name).toBe('y');
    draft.undo();
    expect(draft.text).toContain('against forgery');
    expect(filtersOf(draft)).toHaveLength(3);
  });

  it('makes a filter a named object and back, each as one step of undo', () => {
    const draft = open();
    expect(toHeap(draft, at(1), 'CsrfFilter')).toEqual(['heap', 0]);
    expect(filtersOf(draft)).toEqual(['OAuth2ResourceServerFilter', 'csrf', 'SwitchFilter']);
    expect((draft.document as JsonObject)['heap']).toEqual([{ name: 'csrf', type: 'CsrfFilter' }]);
    const [object] = heapObjects(draft.document as JsonObject, catalogue);
    expect(toInline(draft, at(1), object!)).toBe(true);
    expect(draft.document).toEqual(open().document);
    draft.undo();
    draft.undo();
    expect(draft.text).toBe(TEXT);
  });

  it('makes a handler a named object in its place among the fields', () => {
    const draft = new Draft('{"handler": {"type": "StaticResponseHandler"}, "name": "a"}', 'json');
    toHeap(draft, ['handler'], 'StaticResponseHandler');
    expect(JSON.stringify(draft.document)).toBe(
      '{"handler":"static-response","name":"a","heap":[{"name":"static-response","type":"StaticResponseHandler"}]}',
    );
  });

  it('copies a named object that several places use', () => {
    const draft = open(
      'heap:\n  - {name: a, type: CsrfFilter}\nhandler: {type: Chain, config: {filters: [a, a], handler: b}}\n',
    );
    const [object] = heapObjects(draft.document as JsonObject, catalogue);
    toInline(draft, at(0), object!);
    expect(draft.document).toEqual({
      heap: [{ name: 'a', type: 'CsrfFilter' }],
      handler: { type: 'Chain', config: { filters: [{ type: 'CsrfFilter' }, 'a'], handler: 'b' } },
    });
  });

  it('renames an object at all places that use it, unless the name is taken', () => {
    const draft = open(
      'heap:\n  - {name: a, type: CsrfFilter}\n  - {name: b, type: Chain}\nhandler: {type: Chain, config: {filters: [a, a], handler: b}}\n',
    );
    const [object] = heapObjects(draft.document as JsonObject, catalogue);
    expect(renameObject(draft, object!, 'b')).toBe(false);
    expect(renameObject(draft, object!, 'c')).toBe(true);
    expect(filtersOf(draft)).toEqual(['c', 'c']);
    draft.undo();
    expect(filtersOf(draft)).toEqual(['a', 'a']);
  });

  it('adds named objects with names that are free, and removes the heap with the last of them', () => {
    const draft = open('handler: a\n');
    expect(addToHeap(draft, { type: 'AmService' }, 'AmService')).toEqual(['heap', 0]);
    expect(addToHeap(draft, { type: 'AmService' }, 'AmService')).toEqual(['heap', 1]);
    const names = heapObjects(draft.document as JsonObject, catalogue).map(({ name }) => name);
    expect(names).toEqual(['am-service', 'am-service-2']);
    removeStep(draft, ['heap', 1]);
    removeStep(draft, ['heap', 0]);
    expect(draft.document).toEqual({ handler: 'a' });
  });

  it('changes nothing while the text cannot be read', () => {
    const draft = open();
    draft.setText(`${TEXT}  - :`);
    const { text } = draft;
    expect(insertFilter(draft, sequenceOf(draft), 0, { type: 'CsrfFilter' })).toBeNull();
    expect(moveFilter(draft, at(1), sequenceOf(draft), 0)).toBeNull();
    expect(toHeap(draft, at(1), 'CsrfFilter')).toBeNull();
    expect(draft.text).toBe(text);
  });
});
