/** A line that was not received. `plain` is its name in lower case. */
export interface AddedLine {
  readonly name: string;
  readonly plain: string;
  readonly value: string;
}
