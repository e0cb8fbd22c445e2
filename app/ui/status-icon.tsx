import type { ComputeStatus, NodeClass, PeerStatus } from '#server/common/values.schema.ts';
import { HALO, RADIUS, STAR_PATH, statusGlyph, STROKE } from './status-shapes.ts';

interface StatusProps {
  status: PeerStatus | ComputeStatus;
  size?: NodeClass;
}

/** The sign of a state, as on the map. Always beside its word: it says nothing to a screen reader. */
export function StatusGlyph({ status, size = 'M' }: StatusProps) {
  const { fill, stroke } = statusGlyph(status, RADIUS[size]);
  return (
    <svg className={`glyph ${status}`} viewBox="-8 -8 16 16" width="16" height="16" aria-hidden>
      {fill && <path d={fill} fill="currentColor" />}
      {stroke && (
        <path
          d={stroke}
          fill="none"
          stroke="currentColor"
          strokeWidth={STROKE}
          strokeLinecap="round"
        />
      )}
    </svg>
  );
}

export function GenesisGlyph() {
  return (
    <svg className="glyph genesis" viewBox="-16 -16 32 32" width="24" height="24" aria-hidden>
      <circle r={HALO} fill="currentColor" opacity="0.2" />
      <circle r={HALO} fill="none" stroke="currentColor" strokeWidth="1.5" />
      <path d={STAR_PATH} fill="currentColor" />
    </svg>
  );
}

/** The state with its sign: "● online". @param word where the state is another thing's, and only the sign a node's */
export function Status({ status, size, word = status }: StatusProps & { word?: string }) {
  return (
    <span className="status">
      <StatusGlyph status={status} {...(size && { size })} />
      {word}
    </span>
  );
}
