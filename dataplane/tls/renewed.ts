/** Something that is made of what others have, and made anew when they tell of a change. */
export class Renewed<T> {
  private readonly make: (before: T | null) => Promise<T>;
  private made: T | null = null;
  private making: Promise<T> | null = null;
  private isStale = true;

  /** `make` gets what there was, and may return it when nothing changed. */
  constructor(make: (before: T | null) => Promise<T>) {
    this.make = make;
  }

  /** It may have changed: whoever asks next gets what is made from then on. */
  readonly changed = (): void => {
    this.isStale = true;
  };

  /** What was made last, whether or not it is still right. */
  get last(): T | null {
    return this.made;
  }

  /** Rejects when it cannot be made; whoever asks next tries again. */
  current(): T | Promise<T> {
    if (!this.isStale && this.made !== null) return this.made;
    this.making ??= this.renew().finally(() => {
      this.making = null;
    });
    return this.making;
  }

  private async renew(): Promise<T> {
    for (;;) {
      this.isStale = false;
      try {
        this.made = await this.make(this.made);
      } catch (error) {
        this.isStale = true;
        throw error;
      }
      if (!this.isStale) return this.made;
    }
  }
}
