/** Characters of events of one service, and of all services of one tenant, that wait until secrets are known. */
const MOST = 4 << 20;
/** The same for all tenants of a unit together. */
const MOST_OF_TENANTS = 32 << 20;

/** Room in the memory of a unit for events that wait until the secrets of their handlers are known. */
export class WaitingRoom {
  private readonly tenants = new Map<string, number>();
  private all = 0;

  /** Takes room for an event. @param own what waits of its service; @param owner the tenant, empty for operators */
  take(own: number, owner: string, length: number): boolean {
    if (own + length > MOST) return false;
    if (owner === '') return true;
    const used = this.tenants.get(owner) ?? 0;
    if (used + length > MOST || this.all + length > MOST_OF_TENANTS) return false;
    this.tenants.set(owner, used + length);
    this.all += length;
    return true;
  }

  /** Returns the room of all events of a service. */
  give(owner: string, length: number): void {
    if (owner === '') return;
    const rest = (this.tenants.get(owner) ?? 0) - length;
    this.all -= length;
    if (rest > 0) this.tenants.set(owner, rest);
    else this.tenants.delete(owner);
  }

  /** True once this part of the room for a service is used. */
  isTight(own: number, owner: string, part: number): boolean {
    return own >= MOST * part || (owner !== '' && (this.tenants.get(owner) ?? 0) >= MOST * part);
  }
}
