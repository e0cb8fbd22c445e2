import type { LocalMap } from '#server/drawing/index.ts';
import type { PeerStatus } from '@mesh-registry/protocol/values.schema.ts';
import { statusColor } from '#app/ui/status-icon.tsx';
import { STAR_PATH } from '#app/ui/status-shapes.ts';
import styles from './location-map.module.css';

/** The picture on a page, SVG units: the place is in its middle. */
export const LOCATION_FRAME = { width: 560, height: 340, x: 280, y: 170 };

export interface LocationMapProps {
  map: LocalMap;
  /** Side of the square that the position was rounded to, degrees; null for Genesis, whose position is exact. */
  grid: number | null;
  /** Colours the marker. The page shows the status as text, too. */
  status: PeerStatus | 'genesis';
}

/** A position on a small map with the countries around it and a scale, from outlines on our own server. */
export function LocationMap({ map, grid, status }: LocationMapProps) {
  const { width, height, x, y, across, down } = map;
  const scale = scaleOf(down);
  return (
    <svg className={styles.locationMap} viewBox={`0 0 ${width} ${height}`} aria-hidden>
      <path className={styles.land} d={map.land} />
      <path className={styles.borders} d={map.borders} />
      {map.countries.map((country) => (
        <text key={country.name} className={styles.name} x={country.x} y={country.y}>
          {country.name}
        </text>
      ))}
      <g className={statusColor(status)} transform={`translate(${x} ${y})`}>
        <circle r="15" fill="currentColor" opacity="0.18" />
        <circle r="15" fill="none" stroke="currentColor" strokeWidth="1.5" />
        {grid === null ? (
          <path d={STAR_PATH} fill="currentColor" />
        ) : (
          <rect
            x={round((-grid * across) / 2)}
            y={round((-grid * down) / 2)}
            width={round(grid * across)}
            height={round(grid * down)}
            rx="1"
            fill="currentColor"
          />
        )}
      </g>
      <g className={styles.scale} transform={`translate(12 ${height - 12})`}>
        <path d={`M0 -4V0H${scale.length}V-4`} />
        <text x={scale.length + 6}>{scale.km} km</text>
      </g>
    </svg>
  );
}

const round = (value: number) => Math.round(value * 1000) / 1000;

/** Kilometres per degree of latitude, and of longitude on the equator. */
export const KM_PER_DEGREE = 111.2;

/** A bar of about a sixth of the width. @param down units per degree of latitude */
function scaleOf(down: number): { km: number; length: number } {
  const km = [1000, 500, 200].find((length) => (length / KM_PER_DEGREE) * down < 110) ?? 100;
  return { km, length: Math.round((km / KM_PER_DEGREE) * down) };
}
