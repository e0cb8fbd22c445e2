import { depthOf, lastKnown, linePath, scaleOf, type Values } from './chart-scale.ts';
import styles from './spark.module.css';

/** Height of the drawing in its own units. */
const UNITS = 100;

interface SparkProps {
  values: Values;
  /** px */
  height: number;
  /** A dashed line at this value. */
  chosen?: number;
  /** A dot at its end. */
  dot?: true;
  /** Its lower end is zero: small differences look small. */
  fromZero?: boolean;
}

/** A line without axes, as wide as there is room. Words beside it say what it shows. */
export function Spark({ values, height, chosen, dot, fromZero = false }: SparkProps) {
  const scale = scaleOf([values], fromZero);
  const width = Math.max(1, values.length - 1);
  const last = lastKnown(values);
  const x = chosen === undefined ? null : `${(chosen / width) * 100}%`;
  return (
    <svg className={styles.spark} width="100%" height={height} aria-hidden>
      <svg viewBox={`0 0 ${width} ${UNITS}`} preserveAspectRatio="none" overflow="visible">
        <path className={styles.line} d={linePath(values, scale, UNITS)} />
      </svg>
      {x !== null && <line className={styles.chosen} x1={x} x2={x} y1="0" y2="100%" />}
      {dot && last && (
        <circle
          cx={`${(last.at / width) * 100}%`}
          cy={`${depthOf(last.value, scale) * 100}%`}
          r="3.5"
        />
      )}
    </svg>
  );
}
