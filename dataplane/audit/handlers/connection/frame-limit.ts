/** The beginning of frames of a protocol. */
export interface FrameForm {
  /** Bytes from the beginning of a frame that say how long it is. */
  readonly prefix: number;
  /** Length of the whole frame, by its prefix. */
  lengthOf(prefix: Buffer): number;
  /** Longest frame that is accepted, in bytes. */
  readonly longest: number;
}

/** The other side announces a frame that nobody should keep in memory, or one that cannot be. */
export class FrameTooLong extends Error {
  constructor(length: number, longest: number) {
    super(`a message of ${length} bytes was announced, which is not between its smallest size and ${longest} bytes`);
    this.name = 'FrameTooLong';
  }
}

/** Follows the frames of a connection, because libraries collect a frame of any announced length. */
export class FrameLimit {
  private readonly form: FrameForm;
  private readonly prefix: Buffer;
  private known = 0;
  /** Bytes of the current frame that are still to come. */
  private left = 0;

  constructor(form: FrameForm) {
    this.form = form;
    this.prefix = Buffer.alloc(form.prefix);
  }

  /** Takes more bytes. @throws FrameTooLong as soon as one is announced */
  take(bytes: Buffer): void {
    const { prefix: size, longest } = this.form;
    for (let at = 0; at < bytes.length; ) {
      if (this.left > 0) {
        const passed = Math.min(this.left, bytes.length - at);
        this.left -= passed;
        at += passed;
        continue;
      }
      const copied = bytes.copy(this.prefix, this.known, at, Math.min(bytes.length, at + size - this.known));
      this.known += copied;
      at += copied;
      if (this.known < size) return;
      const length = this.form.lengthOf(this.prefix);
      if (length < size || length > longest) throw new FrameTooLong(length, longest);
      this.left = length - size;
      this.known = 0;
    }
  }
}
