import type { PatchOptions } from '../../../contract/crest/apply-patch.ts';
import { applyPatch } from '../../../contract/crest/apply-patch.ts';
import { CrestError } from '../../../contract/crest/crest-error.ts';
import { PageCookies } from '../../../contract/crest/page-cookie.ts';
import type { CollectionProvider } from '../../../contract/crest/provider.ts';
import { queryResources } from '../../../contract/crest/query-resources.ts';
import type { Resource } from '../../../contract/crest/resource.ts';
import type { JsonObject } from '../../../contract/document/json-value.ts';

/** A collection in memory. Revisions count from 0, and the content repeats the id and the revision. */
export class MemoryCollection {
  readonly provider: CollectionProvider;
  private readonly held = new Map<string, { readonly revision: number; readonly content: JsonObject }>();
  private readonly cookies = new PageCookies(Buffer.from('the key of a test'));
  private lastId = 0;

  constructor(state: Readonly<Record<string, JsonObject>> = {}, patching: PatchOptions = {}) {
    for (const [id, content] of Object.entries(state)) this.held.set(id, { revision: 0, content });
    this.provider = {
      create: async (given, content) => {
        const id = given ?? String(++this.lastId);
        if (this.held.has(id)) throw new CrestError(412, `'${id}' exists already`);
        return this.hold(id, 0, content);
      },
      read: async (id) => this.found(id, null),
      update: async (id, expected, content) => this.hold(id, this.next(id, expected), content),
      delete: async (id, expected) => {
        const found = this.found(id, expected);
        this.held.delete(id);
        return found;
      },
      patch: async (id, expected, operations) => {
        const { content } = this.found(id, expected);
        return this.hold(id, this.next(id, expected), applyPatch(content, operations, patching));
      },
      act: async (id, action) => {
        if (id !== null || action !== 'clear') throw new CrestError(501, `there is no action '${action}'`);
        const cleared = this.held.size;
        this.held.clear();
        return { cleared };
      },
      query: async (query) => {
        const all = [...this.held.keys()].map((id) => ({ ...this.found(id, null), id }));
        return queryResources(all, query, this.cookies, 'users');
      },
    };
  }

  private found(id: string, expected: string | null): Resource {
    const found = this.held.get(id);
    if (found === undefined) throw new CrestError(404, `there is no '${id}'`);
    const revision = String(found.revision);
    if (expected !== null && expected !== revision) throw new CrestError(412, `'${id}' has the revision ${revision}`);
    return { id, revision, content: { ...found.content, _id: id, _rev: revision } };
  }

  private next(id: string, expected: string | null): number {
    return Number(this.found(id, expected).revision) + 1;
  }

  private hold(id: string, revision: number, content: JsonObject): Resource {
    const { _id, _rev, ...rest } = content;
    this.held.set(id, { revision, content: rest });
    return this.found(id, null);
  }
}
