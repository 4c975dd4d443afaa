import type { Certified } from '../identity/certificates.ts';
import { type EventServer, startEventServer } from './event-server.ts';

type Document = Record<string, unknown>;

export interface SearchServer extends EventServer {
  /** Stored documents by id. */
  readonly documents: Map<string, Document>;
  /** Statuses that the next documents get instead of being stored, by id. */
  readonly statuses: Map<string, number[]>;
}

/** The bulk interface of Elasticsearch with an index that rejects documents whose `userId` is no text. */
export async function startSearch(certified: Certified | null = null): Promise<SearchServer> {
  const documents = new Map<string, Document>();
  const statuses = new Map<string, number[]>();
  let generated = 0;
  const server = await startEventServer(
    ({ headers, body }) => {
      if (headers['content-type'] !== 'application/x-ndjson' || !body.endsWith('\n'))
        return { status: 400, body: '{}' };
      const lines = body.split('\n').slice(0, -1);
      const items: { create: ReturnType<typeof store> }[] = [];
      for (let at = 0; at < lines.length; at += 2) {
        const { create } = JSON.parse(lines[at]!) as { create: { _id?: string } };
        const document = JSON.parse(lines[at + 1]!) as Document;
        const id = create._id ?? `generated-${++generated}`;
        items.push({ create: store(id, document) });
      }
      return { status: 200, body: JSON.stringify({ took: 1, errors: false, items }) };
    },
    { certified },
  );

  function store(
    id: string,
    document: Document,
  ): { readonly status: number; readonly error?: { readonly type: string } } {
    const scripted = statuses.get(id)?.shift();
    if (scripted !== undefined) return { status: scripted, error: { type: 'scripted_exception' } };
    if (Object.hasOwn(document, '_id')) return { status: 400, error: { type: 'mapper_parsing_exception' } };
    if (documents.has(id)) return { status: 409, error: { type: 'version_conflict_engine_exception' } };
    if (document['userId'] !== undefined && typeof document['userId'] !== 'string') {
      return { status: 400, error: { type: 'mapper_parsing_exception' } };
    }
    documents.set(id, document);
    return { status: 201 };
  }

  return { ...server, documents, statuses };
}
