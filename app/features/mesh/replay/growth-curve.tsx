import { useId } from 'react';
import type { PlaceStep } from '@mesh-registry/protocol/rest/history.schema.ts';
import styles from './replay-bar.module.css';

/** Height of the drawing; its width is the number of steps. */
const HEIGHT = 100;
/** Room above the peak. */
const TOP = 8;

/** The number of nodes over the steps; grey where it was not measured. What has been shown is stronger than what is to come. */
export function GrowthCurve({ steps, index }: { steps: readonly PlaceStep[]; index: number }) {
  const id = useId();
  const width = Math.max(1, steps.length - 1);
  const most = Math.max(1, ...steps.map(({ nodes }) => nodes ?? 0));
  const y = (nodes: number) => HEIGHT - (nodes / most) * (HEIGHT - TOP);
  const parts = measuredParts(steps);
  const areas = parts.map(([from, values]) => {
    const line = values.map((nodes, n) => `${from + n},${y(nodes).toFixed(2)}`);
    // A single step between two gaps is a line of its own.
    if (line.length === 1) line.push(`${from + 0.5},${y(values[0] ?? 0).toFixed(2)}`);
    const [, end = ''] = /^([\d.]+),/.exec(line.at(-1) ?? '') ?? [];
    return { line: line.join(' '), area: `${from},${HEIGHT} ${line.join(' ')} ${end},${HEIGHT}` };
  });
  return (
    <svg
      className={styles.curve}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden
    >
      <clipPath id={id}>
        <rect width={index} height={HEIGHT} />
      </clipPath>
      {steps.map(
        ({ nodes, at }, n) =>
          nodes === null && (
            <rect key={at} className={styles.gap} x={n - 0.5} width={1} height={HEIGHT} />
          ),
      )}
      {areas.map(({ line, area }) => (
        <g key={area}>
          <polygon className={styles.ahead} points={area} />
          <polygon className={styles.area} points={area} clipPath={`url(#${id})`} />
          <polyline className={styles.line} points={line} vectorEffect="non-scaling-stroke" />
        </g>
      ))}
    </svg>
  );
}

/** Neighbouring steps that were measured, each with the number of its first step. */
function measuredParts(steps: readonly PlaceStep[]): [from: number, values: number[]][] {
  const parts: [number, number[]][] = [];
  let part: number[] | null = null;
  steps.forEach(({ nodes }, n) => {
    if (nodes === null) part = null;
    else if (part) part.push(nodes);
    else parts.push([n, (part = [nodes])]);
  });
  return parts;
}
