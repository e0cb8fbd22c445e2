import type { LocalMap } from '#server/drawing/index.ts';
import type { PeerStatus } from '@mesh-registry/protocol/values.schema.ts';
import { coordinates, regionName } from '#app/lib/formatters.ts';
import { Section } from '#app/ui/section.tsx';
import { stateColor } from '#app/ui/state-glyph.tsx';
import { STAR_PATH } from '#app/ui/status-shapes.ts';
import text from '#app/ui/text.module.css';
import styles from './place-map.module.css';

/** The picture on a page, SVG units: the place is in its middle. */
export const PLACE_FRAME = { width: 380, height: 210, x: 190, y: 105 };

interface PlaceMapProps {
  map: LocalMap;
  /** Side of the square that the position was rounded to, degrees; null for Genesis, whose position is exact. */
  grid: number | null;
  /** Colours the square. The page shows the status as text, too. */
  status: PeerStatus | 'genesis';
}

interface PlaceProps extends Omit<PlaceMapProps, 'map'> {
  at: { lat: number; lng: number; region: string };
  /** Null if it could not be drawn. */
  map: LocalMap | null;
}

/** Where a node is, roughly: the square of its rounded coordinates, with the countries around it. */
export function Place({ at, map, grid, status }: PlaceProps) {
  const region = at.region === 'ZZ' ? null : (regionName(at.region) ?? at.region);
  return (
    <Section
      title="Place"
      // The server and the browser may know a country by different names.
      aside={region !== null && <span suppressHydrationWarning>{region}</span>}
    >
      {map && <PlaceMap map={map} grid={grid} status={status} />}
      <p className={styles.words}>
        <strong>{coordinates(at)}.</strong>{' '}
        {grid !== null && (
          <span className={text.secondary}>
            Somewhere in this square, about {squareKm(at.lat, grid)} km. Coordinates are rounded
            before we store them.
          </span>
        )}
      </p>
    </Section>
  );
}

/** A square on a small map with the countries around it and a scale, from outlines on our own server. Never a pin. */
function PlaceMap({ map, grid, status }: PlaceMapProps) {
  const { width, height, x, y, across, down } = map;
  const scale = scaleOf(down);
  // The scale is at the bottom left, with its words.
  const isFree = (country: { name: string; x: number; y: number }) =>
    country.y < height - 34 || country.x - country.name.length * 4 > scale.length + 80;
  return (
    <svg className={styles.map} viewBox={`0 0 ${width} ${height}`} aria-hidden>
      <path className={styles.land} d={map.land} />
      <path className={styles.borders} d={map.borders} />
      {map.countries.filter(isFree).map((country) => (
        <text key={country.name} className={styles.name} x={country.x} y={country.y}>
          {country.name}
        </text>
      ))}
      <g className={stateColor(status)} transform={`translate(${x} ${y})`}>
        <circle r="26" fill="currentColor" opacity="0.1" />
        {grid === null ? (
          <path d={STAR_PATH} fill="currentColor" />
        ) : (
          <rect
            x={round((-grid * across) / 2)}
            y={round((-grid * down) / 2)}
            width={round(grid * across)}
            height={round(grid * down)}
            fill="currentColor"
            fillOpacity="0.22"
            stroke="currentColor"
            strokeWidth="1.5"
          />
        )}
      </g>
      <g className={styles.scale} transform={`translate(14 ${height - 14})`}>
        <path d={`M0 -4V0H${scale.length}V-4`} />
        <text x={scale.length + 6}>{scale.km} km</text>
      </g>
    </svg>
  );
}

const round = (value: number) => Math.round(value * 1000) / 1000;

/** Kilometres per degree of latitude, and of longitude on the equator. */
const KM_PER_DEGREE = 111.2;

/** A bar of about a third of the width at most. @param down units per degree of latitude */
function scaleOf(down: number): { km: number; length: number } {
  const km = [1000, 500, 200].find((length) => (length / KM_PER_DEGREE) * down < 145) ?? 100;
  return { km, length: Math.round((km / KM_PER_DEGREE) * down) };
}

/** The sides of a square of the grid at a latitude, "56 × 49". */
function squareKm(lat: number, grid: number): string {
  const kmPerDegreeLng = Math.cos((lat * Math.PI) / 180) * KM_PER_DEGREE;
  return `${Math.round(grid * KM_PER_DEGREE)} × ${Math.max(1, Math.round(grid * kmPerDegreeLng))}`;
}
