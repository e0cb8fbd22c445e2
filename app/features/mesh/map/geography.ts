import { emptyBox, extend, type Outline } from './land-outlines.ts';
import { project, type Box } from './mercator.ts';

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

/** The outlines of lines, or of areas of several lines each. */
export const outlinesOf = (units: number, areas: Lines[]): Outline[] =>
  areas.map((lines) => {
    const path = new Path2D();
    const box = emptyBox();
    for (const line of lines) trace(path, box, line, units);
    return { area: path, coast: path, box };
  });

function trace(path: Path2D, box: Box, line: number[], units: number): void {
  let [lng, lat] = [0, 0];
  for (let at = 0; at + 1 < line.length; at += 2) {
    lng += line[at] as number;
    lat += line[at + 1] as number;
    const { x, y } = project(lat / units, lng / units);
    extend(box, x, y);
    if (at === 0) path.moveTo(x, y);
    else path.lineTo(x, y);
  }
}
