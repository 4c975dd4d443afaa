import type { Body, BodyTap } from '../../engine/message/body.ts';
import type { Request } from '../../engine/message/request.ts';
import { Pieces } from '../../engine/wire/pieces.ts';
import type { CopiedRequest } from './copied-request.ts';
import type { DropReason } from './mirror-meter.ts';

const NOTHING = Buffer.alloc(0);

/** Hears of the whole content, or why there is none. It must not throw. */
type Copied = (content: Buffer | DropReason) => void;

/** Copy that the content is for. Its share holds the content, too. */
type Holder = Pick<CopiedRequest, 'share' | 'headBytes'>;

/** Copies the content of a request while somebody else takes it, up to `limit` bytes. `done` is called once. */
export function copyContent(request: Request, limit: number, holder: Holder, done: Copied): void {
  const { touchedEntity, incomingBody } = request;
  const content = touchedEntity === null ? null : touchedEntity.peek();
  const body = touchedEntity === null ? incomingBody : touchedEntity.incoming;
  if (!holder.share.hold(holder.headBytes + (content?.length ?? 0))) done('memory');
  else if (content !== null) done(content.length > limit ? 'body-too-large' : content);
  else if (body !== null) copyBody(body, limit, holder, done);
  else done(touchedEntity === null ? NOTHING : 'body-streamed');
}

function copyBody(body: Body, limit: number, holder: Holder, done: Copied): void {
  if (body.length > limit) done('body-too-large');
  else if (body.claimed) done('body-streamed');
  else body.tap(new ContentCopy(body, limit, holder, done));
}

/** Sees the bytes of a body on their way. */
class ContentCopy implements BodyTap {
  private readonly body: Body;
  private readonly limit: number;
  private readonly holder: Holder;
  private readonly done: Copied;
  private readonly pieces = new Pieces();

  constructor(body: Body, limit: number, holder: Holder, done: Copied) {
    this.body = body;
    this.limit = limit;
    this.holder = holder;
    this.done = done;
  }

  data(bytes: Buffer, start: number, end: number): void {
    if (this.pieces.length + end - start > this.limit) this.stop('body-too-large');
    else {
      this.pieces.add(bytes, start, end);
      if (!this.hold(this.pieces.allocated)) this.stop('memory');
    }
  }

  end(): void {
    const content = this.pieces.length === 0 ? NOTHING : this.pieces.joined();
    this.hold(content.length);
    this.done(content);
  }

  failed(): void {
    this.stop('incomplete');
  }

  private stop(reason: DropReason): void {
    this.body.untap();
    this.pieces.take();
    this.done(reason);
  }

  private hold(bytes: number): boolean {
    const { share, headBytes } = this.holder;
    return share.hold(headBytes + bytes);
  }
}
