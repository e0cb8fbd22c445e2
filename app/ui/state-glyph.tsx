import type { ComputeStatus, PeerStatus } from '@mesh-registry/protocol/values.schema.ts';
import styles from './state-glyph.module.css';
import { statusShape, STROKE } from './status-shapes.ts';

/** What a glyph can say: the states of nodes and offers, and that one is not known or kept away. */
export type GlyphState = PeerStatus | ComputeStatus | 'unknown' | 'blocked';

/** The class that sets the colour of a state. */
export const stateColor = (state: GlyphState | 'genesis'): string => styles[state] ?? '';

interface StateGlyphProps {
  state: GlyphState;
  /** Width and height, px, from 10 to 30. */
  size?: number;
  className?: string | undefined;
}

/**
 * The shape of a state, the same on map, table, legend and badge: it can be told without its colour. Its word
 * is always beside it, so screen readers skip the shape.
 */
export function StateGlyph({ state, size = 12, className }: StateGlyphProps) {
  // A pixel of air on every side, as the drawing is antialiased.
  const radius = size / 2 - 1;
  const width = Math.max(STROKE, size / 9);
  const { fill, stroke, dashed } = statusShape(state, radius, width);
  return (
    <svg
      className={`${styles.glyph} ${stateColor(state)}${className ? ` ${className}` : ''}`}
      viewBox={`${-size / 2} ${-size / 2} ${size} ${size}`}
      width={size}
      height={size}
      aria-hidden
    >
      {fill && <path d={fill} fill="currentColor" />}
      {stroke && (
        <path
          d={stroke}
          fill="none"
          stroke="currentColor"
          strokeWidth={width}
          // Eight dashes around the ring, whatever its size.
          {...(dashed && { pathLength: 8, strokeDasharray: '0.6 0.4' })}
        />
      )}
    </svg>
  );
}
