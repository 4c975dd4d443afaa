import type { Headers } from '../engine/head/headers.ts';
import { contentCodings, withoutCodings } from '../engine/message/content-coding.ts';
import type { Entity } from '../engine/message/entity.ts';
import type { CredentialMask } from './credential-mask.ts';

/** Types of content that are text although their names do not say so. */
const TEXT_TYPES = new Set([
  'application/atom+xml',
  'application/javascript',
  'application/json',
  'application/rss+xml',
  'application/soap+xml',
  'application/x-www-form-urlencoded',
  'application/xhtml+xml',
  'application/xml',
  'application/xml-dtd',
]);

/** A message, as far as a capture needs it. */
export interface CapturedMessage {
  readonly headers: Headers;
  readonly entity: Entity;
  readonly touchedEntity: Entity | null;
  readonly incomingBody: { readonly length: number } | null;
}

/** Whether a message has content, found out without asking for its entity: that would change how it is sent. */
export function hasEntity({ touchedEntity, incomingBody, headers }: CapturedMessage): boolean {
  if (touchedEntity !== null) return !touchedEntity.empty;
  return incomingBody === null ? headers.contentLength > 0 : incomingBody.length !== 0;
}

/** Placeholder in the log for content that is not shown; null when the content itself can be shown. */
export function entityNotice(headers: Headers): string | null {
  const contentType = headers.get('content-type');
  if (contentType === null) return '[entity without Content-Type]';
  const type = mediaType(contentType);
  if (type === 'text/event-stream') return '[streamed entity]'; // waiting for it would hold its events back
  const isText = TEXT_TYPES.has(type) || type.startsWith('text/') || /;\s*charset\s*=/i.test(contentType);
  return isText ? null : '[binary entity]';
}

/** The first bytes of the content as text, without its codings where it is short, with credentials masked. */
export async function entityText(message: CapturedMessage, limit: number, mask: CredentialMask): Promise<string> {
  const contentType = message.headers.get('content-type') ?? '';
  try {
    const codings = contentCodings(message.headers); // the bytes they are read from may last for one turn
    const { bytes, whole } = await message.entity.prefix(limit);
    const plain = codings === '' || bytes.length === 0 ? bytes : whole ? await uncoded(bytes, codings, limit) : null;
    if (plain === null) return `[entity encoded with ${codings}]`;
    const text = mask.entity(mediaType(contentType), decode(plain, contentType));
    return whole ? text : `${text}\n[entity truncated]`;
  } catch {
    return '[entity could not be read]'; // whoever needs it hears why
  }
}

/** Content without its codings, or null where it cannot be had within the limit. */
function uncoded(bytes: Buffer, codings: string, limit: number): Promise<Buffer | null> {
  return withoutCodings(bytes, codings, limit, false).catch(() => null);
}

function mediaType(contentType: string): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase();
}

function decode(bytes: Buffer, contentType: string): string {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return '[entity in an unknown character set]';
  }
}
