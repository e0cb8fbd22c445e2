import { useId } from 'react';
import { areaPath, linePath, scaleOf, type Values } from '#app/ui/chart-scale.ts';
import styles from './replay-bar.module.css';

/** Height of the drawing in its own units. */
const UNITS = 100;

/** The number of nodes over the steps, with a gap where it was not measured. What has been shown is stronger than what is to come. */
export function GrowthCurve({ values, index }: { values: Values; index: number }) {
  const id = useId();
  const width = Math.max(1, values.length - 1);
  const scale = scaleOf([values], false);
  const [line, area] = [linePath(values, scale, UNITS), areaPath(values, scale, UNITS)];
  return (
    <svg
      className={styles.curve}
      viewBox={`0 0 ${width} ${UNITS}`}
      preserveAspectRatio="none"
      aria-hidden
    >
      <clipPath id={id}>
        <rect y={-UNITS} width={index} height={3 * UNITS} />
      </clipPath>
      <path className={styles.areaAhead} d={area} />
      <path className={styles.lineAhead} d={line} />
      <g clipPath={`url(#${id})`}>
        <path className={styles.area} d={area} />
        <path className={styles.line} d={line} />
      </g>
    </svg>
  );
}
