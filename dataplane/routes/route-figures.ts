/** Where one route counts what it does. */
export interface RouteFigures {
  begin(): void;
  /** The request was answered. `failed`: the answer stands for an exception. */
  end(status: number, milliseconds: number, failed: boolean): void;
  /** The handler gave no answer at all. */
  endUnanswered(milliseconds: number): void;
}

/** Figures that nobody reads. */
export const noFigures: RouteFigures = { begin() {}, end() {}, endUnanswered() {} };
