import type { TemporaryBuffer, TemporaryStorage } from '../../../dataplane/heap/objects/temporary-storage.ts';

/** A storage that tells how many of its buffers were opened, and how many have not been released. */
export class CountedStorage implements TemporaryStorage {
  opened = 0;
  left = 0;
  private readonly storage: TemporaryStorage;

  constructor(storage: TemporaryStorage) {
    this.storage = storage;
  }

  get memoryLimit(): number {
    return this.storage.memoryLimit;
  }

  get limit(): number {
    return this.storage.limit;
  }

  open(): TemporaryBuffer {
    const buffer = this.storage.open();
    const storage = this;
    let isOpen = true;
    this.opened++;
    this.left++;
    return {
      get length() {
        return buffer.length;
      },
      write: (bytes) => buffer.write(bytes),
      read: () => buffer.read(),
      release() {
        if (isOpen) storage.left--;
        isOpen = false;
        return buffer.release();
      },
    };
  }
}
