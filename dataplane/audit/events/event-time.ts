/** Writes times as ISO 8601 in UTC with milliseconds. Requests of the same moment share its text. */
export class EventTime {
  private second = -1;
  private start = '';
  private millisecond = -1;
  private whole = '';

  /** @param wall milliseconds since 1970 */
  text(wall: number): string {
    const milliseconds = Math.round(wall);
    if (milliseconds === this.millisecond) return this.whole;
    const second = Math.floor(milliseconds / 1000);
    if (second !== this.second) {
      this.second = second;
      this.start = new Date(second * 1000).toISOString().slice(0, 20);
    }
    const rest = milliseconds - second * 1000;
    this.millisecond = milliseconds;
    this.whole = `${this.start}${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}Z`;
    return this.whole;
  }
}
