/**
 * Which places share a ring, and where it stands. The flat map and the globe give positions in CSS px at their scale:
 * of a plane, where z is 0, or of a sphere around the origin. It runs at every zoom, with all places: the loops are
 * written out, over arrays of numbers.
 */

/** Radius of a ring by the number of its nodes, CSS px: the same at every zoom and in every window. */
export const ringRadius = (count: number): number => 8.6 + 2 * Math.log2(count);

/** Rings, and nodes, whose centres would be closer than this are one, CSS px. */
export const NEAR = 30;
/** How far a ring may stand from the weighted centre of its nodes without a lead, CSS px. */
export const DRIFT = 12;
/** From so many nodes on a ring stands on land; a smaller one over the sea has a node this near, CSS px. */
export const MANY = 10;
export const BESIDE = 3;
/** Room between two rings, CSS px. */
const GAP = 3;
/** Room that a single node takes up, CSS px. */
const SINGLE = 9;
/** Places in one cell are always together, CSS px: this bounds the work, however many there are. */
const CELL = 10;
/** Steps in which rings make room for each other. */
const STEPS = 12;
/** Where land is looked for around a centre: distances, CSS px, and directions. */
const DISTANCES = [2, 4, 6, 8, 10, DRIFT];
const DIRECTIONS = 16;

export interface Spots {
  /** x, y and z of each place, CSS px. */
  at: Float64Array;
  /** Nodes of each place, at least one. */
  weights: ArrayLike<number>;
  /** They are on a sphere. */
  round: boolean;
  /** Whether there is land at a position; null: not known yet. */
  land: ((x: number, y: number, z: number) => boolean) | null;
}

export interface Ring {
  /** Its places, by their index. */
  members: number[];
  /** The weighted centre of its nodes, CSS px. */
  centre: Vector;
  /** Its position on the map, CSS px. */
  at: Vector;
  /** It stands further from its nodes than it may without a line to them. */
  lead: boolean;
}

type Vector = [x: number, y: number, z: number];

const radiusOf = (weight: number): number => (weight > 1 ? ringRadius(weight) : SINGLE);

/** @returns every place in exactly one ring; no two rings overlap */
export function ringsOf(spots: Spots): Ring[] {
  const steps = ringSteps(spots);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The same in steps of a few ms, after each of which it may be interrupted. */
export const ringSteps = (spots: Spots): Generator<void, Ring[]> => new Rings(spots).steps();

/** Rings that are looked at before yielding. */
const STEP = 400;

/** A table from the cell of a position to the rings in it, whose order is arbitrary. Cells far apart may share one. */
class Cells {
  readonly #heads: Int32Array;
  readonly #next: Int32Array;
  readonly #mask: number;

  /** @param size side of a cell, CSS px */
  constructor(
    count: number,
    private readonly size: number,
  ) {
    const length = 2 ** Math.ceil(Math.log2(2 * count + 8));
    this.#heads = new Int32Array(length).fill(-1);
    this.#next = new Int32Array(count);
    this.#mask = length - 1;
  }

  #slot(column: number, row: number, layer: number): number {
    const mixed =
      Math.imul(column, 73_856_093) ^ Math.imul(row, 19_349_663) ^ Math.imul(layer, 83_492_791);
    return (mixed ^ (mixed >>> 15)) & this.#mask;
  }

  #slotAt(x: number, y: number, z: number): number {
    const { size } = this;
    return this.#slot(Math.floor(x / size), Math.floor(y / size), Math.floor(z / size));
  }

  add(n: number, x: number, y: number, z: number): void {
    const slot = this.#slotAt(x, y, z);
    this.#next[n] = this.#heads[slot] as number;
    this.#heads[slot] = n;
  }

  /** @param x where it was added, as `y` and `z` */
  remove(n: number, x: number, y: number, z: number): void {
    const slot = this.#slotAt(x, y, z);
    let before = this.#heads[slot] as number;
    if (before === n) {
      this.#heads[slot] = this.#next[n] as number;
      return;
    }
    while (this.#next[before] !== n) before = this.#next[before] as number;
    this.#next[before] = this.#next[n] as number;
  }

  /** Calls back for those within the size of a cell, for others, and maybe twice for one. */
  around(x: number, y: number, z: number, visit: (n: number) => void): void {
    const { size } = this;
    const [column, row, layer] = [Math.floor(x / size), Math.floor(y / size), Math.floor(z / size)];
    const deep = z === 0 ? 0 : 1;
    for (let dx = -1; dx <= 1; dx++)
      for (let dy = -1; dy <= 1; dy++)
        for (let dz = -deep; dz <= deep; dz++) {
          let n = this.#heads[this.#slot(column + dx, row + dy, layer + dz)] as number;
          for (; n !== -1; n = this.#next[n] as number) visit(n);
        }
  }
}

class Rings {
  /** Rings that are left, the largest first. */
  #left: number[] = [];
  readonly #weights: number[] = [];
  readonly #members: number[][] = [];
  /** x, y and z of each ring's centre, and of where it stands. */
  readonly #centres: number[] = [];
  #stands: Float64Array = new Float64Array();
  #leads: boolean[] = [];
  /** Those that have become a part of another one. */
  #gone: boolean[] = [];

  constructor(private readonly spots: Spots) {}

  *steps(): Generator<void, Ring[]> {
    this.#fill();
    yield;
    this.#left = this.#weights.map((_, n) => n);
    const weights = this.#weights;
    const centres = this.#centres;
    this.#left.sort(
      (a, b) =>
        (weights[b] as number) - (weights[a] as number) ||
        (centres[3 * a] as number) - (centres[3 * b] as number) ||
        (centres[3 * a + 1] as number) - (centres[3 * b + 1] as number),
    );
    this.#gone = this.#left.map(() => false);
    this.#leads = this.#left.map(() => false);
    this.#stands = new Float64Array(this.#centres.length);
    yield* this.#join();
    for (;;) {
      for (const n of this.#left) this.#stand(n);
      yield;
      const pairs = this.#makeRoom();
      if (pairs.length === 0) return this.#all();
      for (let at = 0; at < pairs.length; at += 2) {
        const [a, b] = [pairs[at] as number, pairs[at + 1] as number];
        if (!this.#gone[a] && !this.#gone[b]) this.#absorb(a, b);
      }
      yield* this.#join();
    }
  }

  #all(): Ring[] {
    const vectorAt = (from: ArrayLike<number>, n: number): Vector => [
      from[3 * n] as number,
      from[3 * n + 1] as number,
      from[3 * n + 2] as number,
    ];
    return this.#left.map((n) => ({
      members: this.#members[n] as number[],
      centre: vectorAt(this.#centres, n),
      at: vectorAt(this.#stands, n),
      lead: this.#leads[n] as boolean,
    }));
  }

  /** One ring for what is in one cell of a grid that stays where it is while the view moves. */
  #fill(): void {
    const { at, weights } = this.spots;
    const cells = new Map<number, Map<number, number>>();
    for (let spot = 0; spot < weights.length; spot++) {
      const x = at[3 * spot] as number;
      const y = at[3 * spot + 1] as number;
      const z = at[3 * spot + 2] as number;
      const n = this.#weights.length;
      this.#weights.push(weights[spot] as number);
      this.#members.push([spot]);
      this.#centres.push(x, y, z);
      const column = Math.floor(x / CELL);
      const key = Math.floor(y / CELL) * 65_536 + Math.floor(z / CELL);
      let cell = cells.get(column);
      if (!cell) cells.set(column, (cell = new Map<number, number>()));
      const known = cell.get(key);
      if (known === undefined) cell.set(key, n);
      else {
        this.#absorb(known, n);
        this.#weights.pop();
        this.#members.pop();
        this.#centres.length -= 3;
      }
    }
  }

  #absorb(a: number, b: number): void {
    const [weights, centres] = [this.#weights, this.#centres];
    const weight = (weights[a] as number) + (weights[b] as number);
    const share = (weights[b] as number) / weight;
    for (let axis = 0; axis < 3; axis++) {
      const own = centres[3 * a + axis] as number;
      centres[3 * a + axis] = own + ((centres[3 * b + axis] as number) - own) * share;
    }
    const members = this.#members[a] as number[];
    for (const member of this.#members[b] as number[]) members.push(member);
    weights[a] = weight;
    this.#gone[b] = true;
  }

  /** Joins rings whose centres are near each other: the largest first, each with its nearest one, until none is left. */
  *#join(): Generator<void> {
    const centres = this.#centres;
    const cells = new Cells(this.#gone.length, NEAR);
    const add = (n: number) =>
      cells.add(
        n,
        centres[3 * n] as number,
        centres[3 * n + 1] as number,
        centres[3 * n + 2] as number,
      );
    const remove = (n: number) =>
      cells.remove(
        n,
        centres[3 * n] as number,
        centres[3 * n + 1] as number,
        centres[3 * n + 2] as number,
      );
    this.#left = this.#left.filter((n) => !this.#gone[n]);
    this.#left.forEach(add);
    let seen = 0;
    for (let joined = true; joined;) {
      joined = false;
      for (const n of this.#left) {
        if (++seen % STEP === 0) yield;
        while (!this.#gone[n]) {
          const x = centres[3 * n] as number;
          const y = centres[3 * n + 1] as number;
          const z = centres[3 * n + 2] as number;
          let near = -1;
          let least = NEAR * NEAR;
          cells.around(x, y, z, (other) => {
            if (other === n) return;
            const dx = (centres[3 * other] as number) - x;
            const dy = (centres[3 * other + 1] as number) - y;
            const dz = (centres[3 * other + 2] as number) - z;
            const apart = dx * dx + dy * dy + dz * dz;
            if (apart < least) [near, least] = [other, apart];
          });
          if (near === -1) break;
          remove(n);
          remove(near);
          this.#absorb(n, near);
          add(n);
          joined = true;
        }
      }
    }
    this.#left = this.#left.filter((n) => !this.#gone[n]);
  }

  /** Where a ring stands if it is alone: at the centre of its nodes, or where there is land or a node near it. */
  #stand(n: number): void {
    const { at, weights } = this.spots;
    const stands = this.#stands;
    const x = this.#centres[3 * n] as number;
    const y = this.#centres[3 * n + 1] as number;
    const z = this.#centres[3 * n + 2] as number;
    stands[3 * n] = x;
    stands[3 * n + 1] = y;
    stands[3 * n + 2] = z;
    this.#leads[n] = false;
    if (this.#isPlausible(n, x, y, z)) return;
    let nearest = 0;
    let least = Infinity;
    for (const spot of this.#members[n] as number[]) {
      const dx = (at[3 * spot] as number) - x;
      const dy = (at[3 * spot + 1] as number) - y;
      const dz = (at[3 * spot + 2] as number) - z;
      const far = Math.hypot(dx, dy, dz) - 1e-6 * (weights[spot] as number);
      if (far < least) [nearest, least] = [spot, far];
    }
    const coast = this.#shore(x, y, z, Math.min(least, DRIFT));
    for (let axis = 0; axis < 3; axis++)
      stands[3 * n + axis] = (coast ? coast[axis] : at[3 * nearest + axis]) as number;
    this.#leads[n] = !coast && least > DRIFT;
  }

  /** On land, or small with a node of its own right there. */
  #isPlausible(n: number, x: number, y: number, z: number): boolean {
    const { land, at } = this.spots;
    const weight = this.#weights[n] as number;
    if (!land || weight === 1 || land(x, y, z)) return true;
    if (weight >= MANY) return false;
    return (this.#members[n] as number[]).some((spot) => {
      const dx = (at[3 * spot] as number) - x;
      const dy = (at[3 * spot + 1] as number) - y;
      const dz = (at[3 * spot + 2] as number) - z;
      return dx * dx + dy * dy + dz * dz <= BESIDE * BESIDE;
    });
  }

  /** The nearest land around a position within a distance; null without any. */
  #shore(x: number, y: number, z: number, within: number): Vector | null {
    const { land, round } = this.spots;
    if (!land) return null;
    const [across, along] = round ? tangents(x, y, z) : FLAT;
    for (const far of DISTANCES) {
      if (far > within) return null;
      for (let n = 0; n < DIRECTIONS; n++) {
        const angle = (n / DIRECTIONS) * 2 * Math.PI;
        const [dx, dy] = [far * Math.cos(angle), far * Math.sin(angle)];
        const to: Vector = [
          x + dx * across[0] + dy * along[0],
          y + dx * across[1] + dy * along[1],
          z + dx * across[2] + dy * along[2],
        ];
        if (land(...to)) return to;
      }
    }
    return null;
  }

  /** Moves rings that overlap apart, as far as they may. @returns those that still overlap, by twos */
  #makeRoom(): number[] {
    const [weights, stands] = [this.#weights, this.#stands];
    const largest = radiusOf(weights[this.#left[0] ?? 0] ?? 1);
    // Two single nodes are never in each other's way.
    const rings = this.#left.filter((n) => (weights[n] as number) > 1);
    const cells = new Cells(this.#gone.length, 2 * largest + GAP + 2 * DRIFT);
    for (const n of this.#left)
      cells.add(
        n,
        stands[3 * n] as number,
        stands[3 * n + 1] as number,
        stands[3 * n + 2] as number,
      );
    const apartOf = (a: number, b: number) =>
      Math.hypot(
        (stands[3 * a] as number) - (stands[3 * b] as number),
        (stands[3 * a + 1] as number) - (stands[3 * b + 1] as number),
        (stands[3 * a + 2] as number) - (stands[3 * b + 2] as number),
      );
    const pairs: number[] = [];
    for (const a of rings) {
      const x = stands[3 * a] as number;
      const y = stands[3 * a + 1] as number;
      const z = stands[3 * a + 2] as number;
      const reach = radiusOf(weights[a] as number) + GAP + 2 * DRIFT;
      cells.around(x, y, z, (b) => {
        const alone = weights[b] === 1;
        if (!alone && b <= a) return;
        const dx = (stands[3 * b] as number) - x;
        const dy = (stands[3 * b + 1] as number) - y;
        if (Math.abs(dx) > reach + largest || Math.abs(dy) > reach + largest) return;
        if (apartOf(a, b) < reach + radiusOf(weights[b] as number)) pairs.push(a, b);
      });
    }
    for (let step = 0, crowded = true; crowded && step < STEPS; step++) {
      crowded = false;
      for (let at = 0; at < pairs.length; at += 2) {
        const [a, b] = [pairs[at] as number, pairs[at + 1] as number];
        const apart = apartOf(a, b);
        const missing =
          radiusOf(weights[a] as number) + radiusOf(weights[b] as number) + GAP - apart;
        if (missing < 0.05 || apart === 0) continue;
        crowded = true;
        const factor = (missing * (weights[b] === 1 ? 1 : 0.5)) / apart;
        const dx = ((stands[3 * a] as number) - (stands[3 * b] as number)) * factor;
        const dy = ((stands[3 * a + 1] as number) - (stands[3 * b + 1] as number)) * factor;
        const dz = ((stands[3 * a + 2] as number) - (stands[3 * b + 2] as number)) * factor;
        this.#push(a, dx, dy, dz);
        this.#push(b, -dx, -dy, -dz);
      }
    }
    const still: number[] = [];
    for (let at = 0; at < pairs.length; at += 2) {
      const [a, b] = [pairs[at] as number, pairs[at + 1] as number];
      if (apartOf(a, b) < radiusOf(weights[a] as number) + radiusOf(weights[b] as number))
        still.push(a, b);
    }
    return still;
  }

  /** Moves a ring, but for a single node and for one with a lead. */
  #push(n: number, dx: number, dy: number, dz: number): void {
    if (this.#weights[n] === 1 || this.#leads[n]) return;
    const [centres, stands] = [this.#centres, this.#stands];
    const [cx, cy, cz] = [
      centres[3 * n] as number,
      centres[3 * n + 1] as number,
      centres[3 * n + 2] as number,
    ];
    let [x, y, z] = [
      (stands[3 * n] as number) + dx - cx,
      (stands[3 * n + 1] as number) + dy - cy,
      (stands[3 * n + 2] as number) + dz - cz,
    ];
    const shorter = Math.min(1, DRIFT / (Math.hypot(x, y, z) || 1));
    [x, y, z] = [cx + x * shorter, cy + y * shorter, cz + z * shorter];
    if (!this.#isPlausible(n, x, y, z)) return;
    stands[3 * n] = x;
    stands[3 * n + 1] = y;
    stands[3 * n + 2] = z;
  }
}

const FLAT: readonly [Vector, Vector] = [
  [1, 0, 0],
  [0, 1, 0],
];

/** Two directions along a sphere at a point of it. */
function tangents(x: number, y: number, z: number): [Vector, Vector] {
  const far = Math.hypot(x, y) || 1;
  const radius = Math.hypot(x, y, z) || 1;
  const east: Vector = [-y / far, x / far, 0];
  return [east, [(-z * x) / far / radius, (-z * y) / far / radius, far / radius]];
}
