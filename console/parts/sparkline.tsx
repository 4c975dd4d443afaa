import type { JSX } from 'preact';

const WIDTH = 72;
const HEIGHT = 18;

/** A line of values over time, without axes: it shows whether something moves. */
export function Sparkline({ values, width = WIDTH, height = HEIGHT }: SparklineProps): JSX.Element {
  const most = Math.max(...values, 0);
  if (values.length < 2 || most === 0)
    return <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} aria-hidden="true" />;
  const step = width / (values.length - 1);
  const points = values.map((value, at) => [at * step, height - 1.5 - (value / most) * (height - 3)] as const);
  const line = points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ');
  return (
    <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <polygon points={`0,${height} ${line} ${width},${height}`} />
      <polyline points={line} />
    </svg>
  );
}

interface SparklineProps {
  /** The oldest first. */
  readonly values: readonly number[];
  readonly width?: number;
  readonly height?: number;
}
