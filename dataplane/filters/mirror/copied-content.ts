import type { Body, BodyTap } from '../../engine/message/body.ts';
import { HeldShare } from '../../engine/message/held-content.ts';
import type { Request } from '../../engine/message/request.ts';
import { Pieces } from '../../engine/wire/pieces.ts';
import type { DropReason } from './mirror-meter.ts';

const NOTHING = Buffer.alloc(0);

/** Hears of the whole content, or why there is none. It must not throw. */
type Copied = (content: Buffer | DropReason) => void;

/** Copies the content of a request while somebody else takes it, up to `limit` bytes. `done` is called once. */
export function copyContent(request: Request, limit: number, done: Copied): void {
  const { touchedEntity, incomingBody } = request;
  const content = touchedEntity === null ? null : touchedEntity.peek();
  const body = touchedEntity === null ? incomingBody : touchedEntity.incoming;
  if (content !== null) done(content.length > limit ? 'body-too-large' : content);
  else if (body !== null) copyBody(body, limit, done);
  else done(touchedEntity === null ? NOTHING : 'body-streamed');
}

function copyBody(body: Body, limit: number, done: Copied): void {
  if (body.length > limit) done('body-too-large');
  else if (body.claimed) done('body-streamed');
  else body.tap(new ContentCopy(body, limit, done));
}

/** Sees the bytes of a body on their way. */
class ContentCopy implements BodyTap {
  private readonly body: Body;
  private readonly limit: number;
  private readonly done: Copied;
  private readonly pieces = new Pieces();
  private readonly share = new HeldShare();

  constructor(body: Body, limit: number, done: Copied) {
    this.body = body;
    this.limit = limit;
    this.done = done;
  }

  data(bytes: Buffer, start: number, end: number): void {
    if (this.pieces.length + end - start > this.limit) this.stop('body-too-large');
    else {
      this.pieces.add(bytes, start, end);
      if (!this.share.hold(this.pieces.allocated)) this.stop('memory');
    }
  }

  end(): void {
    const content = this.pieces.length === 0 ? NOTHING : this.pieces.joined();
    this.share.release();
    this.done(content);
  }

  failed(): void {
    this.stop('incomplete');
  }

  private stop(reason: DropReason): void {
    this.body.untap();
    this.pieces.take();
    this.share.release();
    this.done(reason);
  }
}
