/** An outline as longitudes and latitudes one after the other, and the box around it. */
export interface Outline {
  points: Float32Array;
  west: number;
  east: number;
  south: number;
  north: number;
}

export interface Outlines {
  land: Outline[];
  borders: Outline[];
  /** Each part of each country. */
  countries: (Outline & { name: string })[];
}

/** What a picture shows. Degrees of longitude have their width at the latitude of the place. */
export interface Frame {
  lat: number;
  lng: number;
  /** Size of the picture. */
  width: number;
  height: number;
  /** Where in the picture the place is. */
  x: number;
  y: number;
  /** Degrees of latitude from top to bottom. */
  span: number;
}

/** A map as SVG path data, and the names on it. */
export interface LocalMap {
  width: number;
  height: number;
  /** The place. */
  x: number;
  y: number;
  /** Units per degree of longitude and of latitude. */
  across: number;
  down: number;
  /** Its outlines are the coasts. */
  land: string;
  borders: string;
  countries: { name: string; x: number; y: number }[];
  /** The share of the picture that is land, from 0 to 1. */
  landShare: number;
}

/** The picture is drawn a bit beyond its edges, so that no outline shows where it ends. */
const MARGIN = 6;
/** Points that are closer to the one before are left out. */
const STEP = 1.8;
/** The narrowest a degree of longitude gets, as a share of one of latitude. */
const NARROWEST = 0.25;
/** Height of a line of text, and the width of a letter, units. */
const [LINE, LETTER] = [14, 6.8];
const NAMES_MAX = 7;
/** A country whose share of the picture is smaller has no name on it. */
const NAMED_SHARE = 0.015;
/** Room around the place that names leave free. */
const CLEAR = 20;

type Point = [x: number, y: number];

export function drawMap({ land, borders, countries }: Outlines, frame: Frame): LocalMap {
  const { lat, lng, width, height, x, y, span } = frame;
  const down = height / span;
  const across = down * Math.max(Math.cos((lat * Math.PI) / 180), NARROWEST);
  const west = lng - (x + MARGIN) / across;
  const east = lng + (width - x + MARGIN) / across;
  const north = lat + (y + MARGIN) / down;
  const south = lat - (height - y + MARGIN) / down;

  /** The outline in the picture, once for each turn of the globe in which some of it shows. */
  const project = ({ points, ...box }: Outline): Point[][] =>
    [-360, 0, 360].flatMap((turn) => {
      if (box.west + turn > east || box.east + turn < west) return [];
      if (box.south > north || box.north < south) return [];
      const projected: Point[] = [];
      for (let n = 0; n < points.length; n += 2) {
        const point: Point = [
          x + ((points[n] ?? 0) + turn - lng) * across,
          y + (lat - (points[n + 1] ?? 0)) * down,
        ];
        const last = projected.at(-1);
        const near = last && Math.hypot(point[0] - last[0], point[1] - last[1]) < STEP;
        if (!near || n === points.length - 2) projected.push(point);
      }
      return [projected];
    });

  const inPicture = (area: Outline) =>
    project(area)
      .map((ring) => clipArea(ring, width, height))
      .filter((part) => part.length > 2);
  const parts = land.flatMap(inPicture);
  const landArea = parts.reduce((sum, part) => sum + measure(part).area, 0);
  /** The largest part of each country in the picture. */
  const largest = new Map<string, NamedArea>();
  for (const country of countries)
    for (const part of inPicture(country)) {
      const { name } = country;
      const found = { name, ...measure(part), here: contains(part, [x, y]) };
      if (found.here || found.area > (largest.get(name)?.area ?? 0)) largest.set(name, found);
    }
  return {
    width,
    height,
    x,
    y,
    across: round(across),
    down: round(down),
    land: parts.map((part) => path(part, 'z')).join(''),
    borders: borders
      .flatMap(project)
      .flatMap((line) => clipLine(line, width, height))
      .map((line) => path(line, ''))
      .join(''),
    countries: placeNames([...largest.values()], frame),
    landShare: landArea / (width * height),
  };
}

interface NamedArea {
  name: string;
  area: number;
  centre: Point;
  /** Whether the place is in it. */
  here: boolean;
}

/**
 * The names of the country at the place and of the largest around it, where they fit: inside the picture, and apart
 * from the place and each other.
 */
function placeNames(countries: NamedArea[], { width, height, x, y }: Frame): LocalMap['countries'] {
  const placed: LocalMap['countries'] = [];
  const order = countries.sort((a, b) => Number(b.here) - Number(a.here) || b.area - a.area);
  for (const { name, area, centre, here } of order) {
    if (placed.length === NAMES_MAX) break;
    if (area < NAMED_SHARE * width * height && !here && placed.length > 0) break;
    const half = (name.length * LETTER) / 2;
    const at = { name, x: Math.round(centre[0]), y: Math.round(centre[1]) };
    if (Math.abs(at.x - x) < half + CLEAR && Math.abs(at.y - y) < LINE / 2 + CLEAR)
      at.y = Math.round(at.y <= y ? y - CLEAR - LINE / 2 : y + CLEAR + LINE);
    const inside =
      at.x > half + 4 && at.x < width - half - 4 && at.y > LINE && at.y < height - LINE;
    const free = placed.every(
      (other) =>
        Math.abs(other.y - at.y) > LINE ||
        Math.abs(other.x - at.x) > half + (other.name.length * LETTER) / 2 + 8,
    );
    if (inside && free) placed.push(at);
  }
  return placed;
}

/** The edges of the picture: left, right, top and bottom. */
const EDGES: { axis: 0 | 1; far: boolean }[] = [
  { axis: 0, far: false },
  { axis: 0, far: true },
  { axis: 1, far: false },
  { axis: 1, far: true },
];

/** The part of an area that is in the picture (Sutherland and Hodgman), with edges along its border. */
function clipArea(ring: Point[], width: number, height: number): Point[] {
  let points = ring;
  for (const { axis, far } of EDGES) {
    const limit = far ? (axis === 0 ? width : height) + MARGIN : -MARGIN;
    const isInside = (point: Point) => (far ? point[axis] <= limit : point[axis] >= limit);
    const kept: Point[] = [];
    points.forEach((point, n) => {
      const before = points.at(n - 1) as Point;
      const [isIn, wasIn] = [isInside(point), isInside(before)];
      if (isIn !== wasIn) kept.push(crossing(before, point, axis, limit));
      if (isIn) kept.push(point);
    });
    points = kept;
  }
  return points;
}

function crossing(a: Point, b: Point, axis: 0 | 1, limit: number): Point {
  const share = (limit - a[axis]) / (b[axis] - a[axis]);
  return [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share];
}

/** The parts of a line that are in the picture, or reach into it. */
function clipLine(line: Point[], width: number, height: number): Point[][] {
  const runs: Point[][] = [];
  let run: Point[] = [];
  const isNear = ([px, py]: Point) =>
    px > -MARGIN && px < width + MARGIN && py > -MARGIN && py < height + MARGIN;
  line.forEach((point, n) => {
    const before = line[n - 1];
    if (before && (isNear(point) || isNear(before))) {
      if (run.length === 0) run.push(before);
      run.push(point);
    } else if (run.length > 0) {
      runs.push(run);
      run = [];
    }
  });
  if (run.length > 0) runs.push(run);
  return runs;
}

function measure(points: Point[]): { area: number; centre: Point } {
  let [twice, cx, cy] = [0, 0, 0];
  points.forEach(([x1, y1], n) => {
    const [x0, y0] = points.at(n - 1) as Point;
    const cross = x0 * y1 - x1 * y0;
    twice += cross;
    cx += (x0 + x1) * cross;
    cy += (y0 + y1) * cross;
  });
  if (twice === 0) return { area: 0, centre: [0, 0] };
  return { area: Math.abs(twice) / 2, centre: [cx / (3 * twice), cy / (3 * twice)] };
}

/** Path data in whole units, relative to keep it short. */
function path(points: Point[], end: 'z' | ''): string {
  let [lastX, lastY] = [0, 0];
  let data = '';
  for (const point of points) {
    const [px, py] = [Math.round(point[0]), Math.round(point[1])];
    if (data === '') data = `M${px} ${py}l`;
    else if (px === lastX && py === lastY) continue;
    else data += number(px - lastX, data.endsWith('l')) + number(py - lastY);
    [lastX, lastY] = [px, py];
  }
  return data.endsWith('l') ? '' : data + end;
}

/** A sign separates numbers as well as a space does. */
const number = (n: number, isFirst = false) => (n < 0 || isFirst ? String(n) : ` ${n}`);

function contains(ring: Point[], [x, y]: Point): boolean {
  let inside = false;
  ring.forEach(([x1, y1], n) => {
    const [x0, y0] = ring.at(n - 1) as Point;
    if (y1 > y !== y0 > y && x < ((x0 - x1) * (y - y1)) / (y0 - y1) + x1) inside = !inside;
  });
  return inside;
}

const round = (value: number) => Math.round(value * 1000) / 1000;
