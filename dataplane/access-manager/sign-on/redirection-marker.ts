/** A parameter that a browser brings back from the login page, so that a redirect without end is noticed. */
export class RedirectionMarker {
  private readonly pair: string;

  constructor(name: string) {
    this.pair = `${name}=true`;
  }

  /** Whether a query has the parameter. */
  isIn(rawQuery: string | null): boolean {
    return rawQuery?.includes(this.pair) === true && rawQuery.split('&').includes(this.pair);
  }

  addTo(url: string): string {
    return `${url}${url.includes('?') ? '&' : '?'}${this.pair}`;
  }

  /** The query without the parameter; null for an empty one. */
  removeFrom(rawQuery: string): string | null {
    const rest = rawQuery.split('&').filter((pair) => pair !== this.pair);
    return rest.length === 0 ? null : rest.join('&');
  }
}
