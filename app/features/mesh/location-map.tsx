import landUrl from './land.svg?url';
import type { PeerStatus } from '#server/mesh/values.schema.ts';
import { statusColor } from '#app/ui/status-icon.tsx';
import { STAR_PATH } from '#app/ui/status-shapes.ts';
import styles from './location-map.module.css';

export interface LocationMapProps {
  lat: number;
  lng: number;
  /** Side of the square that the position was rounded to, degrees; null for Genesis, whose position is exact. */
  grid: number | null;
  /** Colours the marker. The page shows the status as text, too. */
  status: PeerStatus | 'genesis';
}

/** Size of the picture, SVG units. */
const WIDTH = 560;
const HEIGHT = 280;
/** Degrees of latitude in the picture. */
const SPAN = 56;
/** Degrees between the lines of the graticule. */
const GRATICULE = 10;
/** The picture ends at this latitude. */
const EDGE = 86;
/** Units of the outlines in a degree. */
const UNITS = 10;

/**
 * A position on a small map, rendered on the server from our own outlines. Degrees of longitude have their
 * width at that latitude.
 */
export function LocationMap({ lat, lng, grid, status }: LocationMapProps) {
  const down = HEIGHT / SPAN;
  const across = down * Math.max(Math.cos((lat * Math.PI) / 180), 0.25);
  const top = Math.min(Math.max(lat + SPAN / 2, SPAN - EDGE), EDGE);
  const left = lng - WIDTH / 2 / across;
  const x = (degrees: number) => round((degrees - left) * across);
  const y = (degrees: number) => round((top - degrees) * down);

  const meridians = steps(left, left + WIDTH / across);
  const parallels = steps(top - SPAN, top);
  return (
    <svg className={styles.locationMap} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden>
      {/* The same land once more on either side, for positions near the date line. */}
      {[-360, 0, 360].map((turn) => (
        <use
          key={turn}
          className={styles.land}
          href={`${landUrl}#land`}
          transform={`translate(${x(turn)} ${y(0)}) scale(${round(across / UNITS)} ${round(down / UNITS)})`}
        />
      ))}
      <path
        className={styles.graticule}
        d={[
          ...meridians.map((degrees) => `M${x(degrees)} 0V${HEIGHT}`),
          ...parallels.map((degrees) => `M0 ${y(degrees)}H${WIDTH}`),
        ].join('')}
      />
      <g className={statusColor(status)} transform={`translate(${x(lng)} ${y(lat)})`}>
        <circle r="13" fill="currentColor" opacity="0.18" />
        <circle r="13" fill="none" stroke="currentColor" strokeWidth="1.5" />
        {grid === null ? (
          <path d={STAR_PATH} fill="currentColor" />
        ) : (
          <rect
            x={round((-grid * across) / 2)}
            y={round((-grid * down) / 2)}
            width={round(grid * across)}
            height={round(grid * down)}
            fill="currentColor"
          />
        )}
      </g>
    </svg>
  );
}

const round = (value: number) => Math.round(value * 1000) / 1000;

/** The multiples of the graticule between two degrees. */
function steps(from: number, to: number): number[] {
  const first = Math.ceil(from / GRATICULE);
  const count = Math.max(0, Math.floor(to / GRATICULE) - first + 1);
  return Array.from({ length: count }, (_, index) => (first + index) * GRATICULE);
}
