/** The figures of one route, summed over the units of a plane; their places are those of `FIGURE`. */
export interface RouteSeries {
  /** Qualified name of the router. */
  readonly router: string;
  /** Route id. */
  readonly route: string;
  /** Route name. */
  readonly name: string;
  readonly figures: Float64Array;
}
