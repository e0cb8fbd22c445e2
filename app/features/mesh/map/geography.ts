/** What the map shows when it is zoomed in. `scripts/geography.ts` writes the files. */

/** Lines, each as its first point and the steps to each next one: longitude, latitude, longitude and so on. */
export type Lines = number[][];

export interface Borders {
  /** Parts of a degree that the numbers count. */
  units: number;
  lines: Lines;
}

export interface Water {
  units: number;
  /** Outline and islands of each. */
  lakes: Lines[];
  rivers: Lines;
}

/** A name, its position in degrees, and the zoom from which it is shown. */
export type Name = readonly [name: string, lng: number, lat: number, zoom: number];

export interface Names {
  countries: Name[];
  waters: Name[];
  /** The largest first. */
  cities: Name[];
}
