const REMEMBERED = 128;

/**
 * The streams that were closed last. What still arrives for a stream that we reset was on its way and means nothing;
 * for one that the peer closed it is an error.
 */
export class ClosedStreams {
  private ids: Int32Array | null = null;
  private readonly ours = new Uint8Array(REMEMBERED);
  private next = 0;

  /** `ours`: we reset it, or answered before the request was complete. */
  add(stream: number, ours: boolean): void {
    this.ids ??= new Int32Array(REMEMBERED);
    this.ids[this.next] = stream;
    this.ours[this.next] = ours ? 1 : 0;
    this.next = (this.next + 1) % REMEMBERED;
  }

  has(stream: number): boolean {
    return this.ids?.includes(stream) ?? false;
  }

  /** Whether we closed it, as far as is remembered. */
  isOurs(stream: number): boolean {
    const place = this.ids?.indexOf(stream) ?? -1;
    return place >= 0 && this.ours[place] === 1;
  }
}
