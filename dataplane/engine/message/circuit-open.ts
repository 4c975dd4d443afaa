/** A circuit breaker is open, so that nobody was asked. The boundary answers 500. */
export class CircuitOpen extends Error {
  constructor(name: string) {
    super(`circuit-breaker open: ${name}`);
    this.name = 'CircuitOpen';
  }
}
