/** A number of an object, under the name of its metric. */
export type ObjectFigure = {
  /** Such as `gw_denied_total`. */
  readonly metric: string;
  /** Labels beside those that name the object, such as `reason`. */
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
};

/** Numbers of an object since it was added. */
export type ObjectFigures = {
  /** Name with those of the scopes around it. */
  readonly object: string;
  readonly name: string;
  /** Id of its route; empty outside of routes. */
  readonly route: string;
  readonly router: string;
  readonly figures: readonly ObjectFigure[];
};
