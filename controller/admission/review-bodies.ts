import type { Readable } from 'node:stream';

/** The object as it is and as it is to be, neither longer than the API server takes it (3 MiB), and room to spare. */
export const LONGEST_REVIEW = 8 * 1024 * 1024;
/** What all bodies that are being read may take together: less than a controller has to spare. */
const MOST_HELD = 128 * 1024 * 1024;
/** What most reviews fit into. */
const FIRST_ROOM = 16 * 1024;

/**
 * Reads bodies, of which nobody knows whether they are the API server's. Pieces are copied together as they come: kept
 * apart, a body in pieces of one byte would take hundreds of times its length.
 */
export class ReviewBodies {
  private held = 0;

  /** A whole body; what is left of one that is not read to its end stays unread, so that an answer can still be sent. */
  async read(request: Readable): Promise<{ readonly text: string } | { readonly refusal: 'too-long' | 'too-many' }> {
    let room: Buffer = Buffer.alloc(0);
    let length = 0;
    try {
      for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        const needed = length + piece.length;
        if (needed > LONGEST_REVIEW) return { refusal: 'too-long' };
        if (needed > room.length) {
          const size = Math.min(LONGEST_REVIEW, Math.max(FIRST_ROOM, needed, 2 * room.length));
          if (this.held + size - room.length > MOST_HELD) return { refusal: 'too-many' };
          this.held += size - room.length;
          room = Buffer.concat([room.subarray(0, length)], size);
        }
        length += piece.copy(room, length);
      }
      return { text: room.toString('utf8', 0, length) };
    } finally {
      this.held -= room.length;
    }
  }
}
