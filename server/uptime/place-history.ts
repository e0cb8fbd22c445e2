import { and, eq, gte, sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import { promisify } from 'node:util';
import { brotliDecompress, constants } from 'node:zlib';
import type {
  PlaceHistory as Body,
  PlaceHistoryDays,
  PlaceStep,
  StepPlaces,
} from '@mesh-registry/protocol/rest/history.schema.ts';
import type { Db } from '#db/client.ts';
import { historyPlaces, type PeerRow } from '#db/schema/index.ts';
import { AppError } from '#server/common/errors.schema.ts';
import { withRetry } from '#server/common/with-retry.ts';
import { compress, digest, fixedAnswer, type Answer } from '#server/live/index.ts';
import { shownRegion } from '#server/mesh/index.ts';
import { DAY_MS, historyHead, iso, QUARTER_MS, stepsOf } from './quarters.ts';
import type { RecordedNetwork } from './totals.ts';

const decompress = promisify(brotliDecompress);

/** The length of a step (ms) for each number of days. */
const STEP_MS = { 1: QUARTER_MS, 90: DAY_MS } as const;
/** How long steps are kept after they began, milliseconds: as long as they are listed, and a while for open pages. */
export const PLACES_KEPT_MS = { quarter: DAY_MS + 4 * QUARTER_MS, day: 91 * DAY_MS };
/** Bytes of steps in memory, at most: some 190 of a network of 100,000 nodes have 3 MB. */
const CACHE_BYTES = 8 * 1024 * 1024;
/** Uncompressed steps are smaller than this: 20 times the bytes of a million nodes. */
const STEP_MAX_BYTES = 64 * 1024 * 1024;

interface CountedPlace {
  lat: number;
  lng: number;
  region: string;
  nodes: number;
}

/** How many nodes were heard of at each place. It knows no node. */
export class PlaceCounts {
  /** The places by region, then by position. Texts as keys would take several times as long. */
  readonly #regions = new Map<string, Map<number, CountedPlace>>();
  #nodes = 0;
  #places = 0;

  /** @param grid the coordinate grid, degrees */
  constructor(private readonly grid: number) {}

  get nodes(): number {
    return this.#nodes;
  }
  get places(): number {
    return this.#places;
  }

  add(row: Pick<PeerRow, 'lat' | 'lng' | 'region'>): void {
    const { lat, lng } = row;
    const region = shownRegion(row, this.grid);
    let places = this.#regions.get(region);
    if (!places) this.#regions.set(region, (places = new Map<number, CountedPlace>()));
    // All points of a grid have distinct numbers: neighbours differ by 0.1 degrees or more.
    const position = lat * 100_000 + lng;
    const place = places.get(position);
    if (place) place.nodes++;
    else {
      places.set(position, { lat, lng, region, nodes: 1 });
      this.#places++;
    }
    this.#nodes++;
  }

  /** By region, then from south to north and west to east: neighbours have the same digits, which compresses better. */
  columns(): StepPlaces {
    const places = [...this.#regions.keys()]
      .sort()
      .flatMap((region) =>
        [...(this.#regions.get(region)?.values() ?? [])].sort(
          (a, b) => a.lat - b.lat || a.lng - b.lng,
        ),
      );
    return {
      lat: places.map(({ lat }) => lat),
      lng: places.map(({ lng }) => lng),
      region: places.map(({ region }) => region),
      nodes: places.map(({ nodes }) => nodes),
    };
  }
}

/**
 * What is stored of a step, and sent as it is: brotli of its JSON. For 100,000 nodes, 10,400 places, that is 16 KB, made
 * in 0.2 s of another thread.
 */
function encodeStep(at: number, stepSeconds: number, counts: PlaceCounts): Promise<Buffer> {
  const json = Buffer.from(
    JSON.stringify({
      at: new Date(at).toISOString(),
      stepSeconds,
      nodes: counts.nodes,
      places: counts.columns(),
    }),
  );
  return compress(json, 'br', constants.BROTLI_MAX_QUALITY);
}

type StoredPlaces = typeof historyPlaces.$inferInsert;

/** What is stored of where nodes were heard of in steps that begin at a moment (ms). */
export const encodePlaces = (
  steps: { at: number; stepMs: number; counts: PlaceCounts }[],
): Promise<StoredPlaces[]> =>
  Promise.all(
    steps.map(async ({ at, stepMs, counts }) => ({
      stepSeconds: stepMs / 1000,
      at: new Date(at),
      nodes: counts.nodes,
      places: counts.places,
      body: await encodeStep(at, stepMs / 1000, counts),
    })),
  );

/** Stores steps. Doing so again does no harm. */
export async function storePlaces(db: Db, rows: StoredPlaces[]): Promise<void> {
  await db
    .insert(historyPlaces)
    .values(rows)
    .onConflictDoUpdate({
      target: [historyPlaces.stepSeconds, historyPlaces.at],
      set: {
        nodes: sql`excluded.nodes`,
        places: sql`excluded.places`,
        body: sql`excluded.body`,
      },
    });
}

/** Where nodes were heard of: in each quarter of an hour for a day, in each UTC day for 90 days. */
export class PlaceHistory {
  /** The steps that are stored, by their length and start (ms). */
  #steps = new Map<string, { at: number; stepMs: number; nodes: number; places: number }>();
  readonly #bytes = new LRUCache<string, Buffer>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ length }) => length,
  });
  #lists = new Map<string, Answer>();

  constructor(
    private readonly db: Db,
    private readonly clock: () => number,
    private readonly network: RecordedNetwork,
  ) {}

  /** Reads which steps there are. @throws AppError `unavailable` */
  async refresh(): Promise<void> {
    const { stepSeconds, at, nodes, places } = historyPlaces;
    const rows = await withRetry(() =>
      this.db
        .select({ stepSeconds, at, nodes, places })
        .from(historyPlaces)
        .where(gte(at, new Date(this.clock() - PLACES_KEPT_MS.day))),
    );
    this.#steps = new Map(
      rows.map(({ stepSeconds, at, nodes, places }) => [
        keyOf(stepSeconds * 1000, at.getTime()),
        { at: at.getTime(), stepMs: stepSeconds * 1000, nodes, places },
      ]),
    );
    this.#lists = new Map();
  }

  /** The list of steps, with their totals. */
  list(days: PlaceHistoryDays): Answer {
    const key = `${days} ${this.network.end()} ${this.network.version}`;
    const known = this.#lists.get(key);
    if (known) return known;
    const answer = fixedAnswer(JSON.stringify(this.#list(days)));
    this.#lists.set(key, answer);
    return answer;
  }

  /**
   * Where nodes were heard of in the step that began at a moment (ms).
   * @throws AppError `not_found`, `unavailable`
   */
  async step(days: PlaceHistoryDays, at: number): Promise<Answer> {
    const stepMs = STEP_MS[days];
    if (!this.#measured(stepMs, at))
      throw new AppError(
        'not_found',
        'Nothing was recorded at this moment. GET /api/mesh/history/places lists the steps that were measured.',
      );
    const over = at + stepMs <= this.network.end();
    // The day so far changes with each quarter.
    const key = keyOf(stepMs, at) + (over ? '' : ` ${this.network.version}`);
    let br = this.#bytes.get(key);
    if (!br) this.#bytes.set(key, (br = await this.#read(stepMs, at)));
    return storedAnswer(br, over);
  }

  #list(days: PlaceHistoryDays): Body {
    const stepMs = STEP_MS[days];
    const to = this.network.end();
    let first = Infinity;
    for (const step of this.#steps.values())
      if (step.stepMs === stepMs && this.#measured(stepMs, step.at))
        first = Math.min(first, step.at);
    const { from, steps } = first === Infinity ? { from: to, steps: [] } : stepsOf(days, to, first);
    return {
      ...historyHead(stepMs, from, to),
      steps: steps.map((at): PlaceStep => {
        const { nodes, places } = this.#measured(stepMs, at) ?? { nodes: null, places: null };
        return { at: iso(at), nodes, places };
      }),
    };
  }

  /** A step whose quarter, or at least one quarter of its day, was measured. */
  #measured(stepMs: number, at: number) {
    const measured = stepMs === DAY_MS ? this.network.hasDay(at) : this.network.isMeasured(at);
    return measured ? this.#steps.get(keyOf(stepMs, at)) : undefined;
  }

  async #read(stepMs: number, at: number): Promise<Buffer> {
    const [row] = await withRetry(() =>
      this.db
        .select({ body: historyPlaces.body })
        .from(historyPlaces)
        .where(
          and(eq(historyPlaces.stepSeconds, stepMs / 1000), eq(historyPlaces.at, new Date(at))),
        ),
    );
    if (!row) throw new AppError('not_found', 'History this old is no longer stored.');
    return Buffer.from(row.body);
  }
}

const keyOf = (stepMs: number, at: number) => `${stepMs} ${at}`;

/** The stored bytes as an answer. Nearly every client takes brotli; for others they are unpacked. */
function storedAnswer(br: Buffer, final: boolean): Answer {
  const etag = `"${digest(br)}"`;
  const plain = () => decompress(br, { maxOutputLength: STEP_MAX_BYTES });
  return {
    etag,
    // Always worth compressing: it already is.
    size: Infinity,
    ...(final && { final }),
    in: (encoding) =>
      encoding === 'br'
        ? { etag, body: br, encoding }
        : plain()
            .then((body) => (encoding === 'gzip' ? compress(body, encoding) : body))
            .then((body) => ({ etag, body, encoding })),
  };
}
