import { type FSWatcher, statSync, watch } from 'node:fs';

/** How often a watched directory is asked whether it is still the same one, in milliseconds. */
const IDENTITY_INTERVAL = 500;

/**
 * Says when something in a directory changes. The system tells at once of changes inside a directory but not when the
 * directory itself is exchanged, taken away or brought back, nor on every file system: this asks for that now and then.
 */
export class DirectoryWatch {
  private readonly path: string;
  private readonly noticed: (name: string | null) => void;
  private readonly timer: NodeJS.Timeout;
  private watcher: FSWatcher | null = null;
  private identity: string | null = null;

  /** @param noticed hears the name of what changed, or null when it may be anything */
  constructor(path: string, noticed: (name: string | null) => void) {
    this.path = path;
    this.noticed = noticed;
    this.identity = identityOf(path);
    this.begin();
    this.timer = setInterval(() => this.compare(), IDENTITY_INTERVAL);
    this.timer.unref();
  }

  close(): void {
    clearInterval(this.timer);
    this.watcher?.close();
    this.watcher = null;
  }

  private compare(): void {
    const identity = identityOf(this.path);
    if (identity !== this.identity) {
      this.identity = identity;
      this.begin();
      this.noticed(null);
    } else if (this.watcher === null && identity !== null) {
      this.begin();
      this.noticed(null); // nobody tells, so it has to be looked at
    }
  }

  private begin(): void {
    this.watcher?.close();
    this.watcher = null;
    if (this.identity === null) return;
    try {
      const watcher = watch(this.path, { persistent: false }, (_, name) => this.noticed(name));
      watcher.on('error', () => {
        watcher.close();
        if (this.watcher === watcher) this.watcher = null;
      });
      this.watcher = watcher;
    } catch {
      this.watcher = null; // too many watches, or gone again: asked for at the next turn
    }
  }
}

function identityOf(path: string): string | null {
  try {
    const { dev, ino, birthtimeNs } = statSync(path, { bigint: true });
    return `${dev} ${ino} ${birthtimeNs}`; // a number that became free is soon given to another directory
  } catch {
    return null;
  }
}
