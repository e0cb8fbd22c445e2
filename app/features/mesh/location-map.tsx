import landUrl from './land.svg?url';
import { STAR_PATH } from '#app/ui/status-shapes.ts';

export interface PlaceMapProps {
  lat: number;
  lng: number;
  /** Degrees of the square that the place was rounded to; null for a place that was not rounded: Genesis. */
  grid: number | null;
  /** Colours the mark; what it means is said beside the map. */
  status: string;
}

/** Size of the picture, in its own units. */
const WIDTH = 560;
const HEIGHT = 280;
/** Degrees of latitude in the picture. */
const SPAN = 56;
/** Degrees between the lines of the graticule. */
const GRATICULE = 10;
/** Beyond this latitude there is nothing to see. */
const EDGE = 86;
/** The outlines' own units in a degree. */
const UNITS = 10;

/**
 * Where on the Earth a place lies: drawn on the server, from outlines that are a file of ours. Degrees of
 * longitude are as wide as they are at that latitude.
 */
export function PlaceMap({ lat, lng, grid, status }: PlaceMapProps) {
  const down = HEIGHT / SPAN;
  const across = down * Math.max(Math.cos((lat * Math.PI) / 180), 0.25);
  const top = Math.min(Math.max(lat + SPAN / 2, SPAN - EDGE), EDGE);
  const left = lng - WIDTH / 2 / across;
  const x = (degrees: number) => round((degrees - left) * across);
  const y = (degrees: number) => round((top - degrees) * down);

  const meridians = steps(left, left + WIDTH / across);
  const parallels = steps(top - SPAN, top);
  return (
    <svg className="place-map" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden>
      {/* The same land once more on either side, for places near the date line. */}
      {[-360, 0, 360].map((turn) => (
        <use
          key={turn}
          className="land"
          href={`${landUrl}#land`}
          transform={`translate(${x(turn)} ${y(0)}) scale(${round(across / UNITS)} ${round(down / UNITS)})`}
        />
      ))}
      <path
        className="graticule"
        d={[
          ...meridians.map((degrees) => `M${x(degrees)} 0V${HEIGHT}`),
          ...parallels.map((degrees) => `M0 ${y(degrees)}H${WIDTH}`),
        ].join('')}
      />
      <g className={status} transform={`translate(${x(lng)} ${y(lat)})`}>
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
