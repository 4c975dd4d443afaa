import type { Request } from './request.ts';
import { Uri } from './uri.ts';

/**
 * A request as it was before it was passed on. Filters behind change what they are given: to be sent once more as it
 * should be, it has to be what it was.
 */
export class UnsentRequest {
  private readonly request: Request;
  private readonly method: string;
  private readonly uri: Uri;
  private readonly fields: readonly (readonly [name: string, value: string])[];
  /** Empty where there is none, null where it would pass through. */
  private readonly content: Buffer | null;

  constructor(request: Request) {
    const { method, uri, headers, touchedEntity, incomingBody } = request;
    this.request = request;
    this.method = method;
    this.uri = new Uri(uri.scheme, uri.authority, uri.rawPath, uri.rawQuery);
    this.fields = headers.entries();
    const untouched = incomingBody === null ? Buffer.alloc(0) : null;
    this.content = touchedEntity === null ? untouched : touchedEntity.peek();
  }

  /** Whether it can be sent again: content that passed through is gone. */
  get isAtHand(): boolean {
    return this.content !== null;
  }

  /** Makes the request what it was, where its content is at hand. */
  restore(): void {
    const { request, method, uri, fields, content } = this;
    if (content === null) return;
    if (request.method !== method) request.method = method;
    if (request.uri.toString() !== uri.toString()) request.uri.become(uri);
    if (!isSame(request.headers.entries(), fields)) this.restoreHeaders();
    if (request.touchedEntity !== null && request.touchedEntity.peek() !== content) request.entity.restore(content);
  }

  private restoreHeaders(): void {
    const { headers } = this.request;
    for (const [name] of headers.entries()) headers.delete(name);
    for (const [name, value] of this.fields) headers.append(name, value);
  }
}

function isSame(some: UnsentRequest['fields'], others: UnsentRequest['fields']): boolean {
  return (
    some.length === others.length &&
    some.every(([name, value], at) => name === others[at]![0] && value === others[at]![1])
  );
}
