import type {
  NetworkHistory,
  NetworkStep,
  PlaceHistory,
  PlacesAtStep,
  PlaceStep,
} from '@mesh-registry/protocol/rest/history.schema.ts';
import { PEER_STATUSES, type PeerStatus } from '@mesh-registry/protocol/values.schema.ts';
import type { ReplayQuery } from '#server/mesh/mesh-query.schema.ts';
import { placeId, type Place } from '#server/mesh/places.schema.ts';
import { timeLocale } from '#app/lib/clock.ts';
import { count, dateText, nodes } from '#app/lib/formatters.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { axisDates } from '#app/ui/chart-text.ts';
import type { Shown } from '../map/grid-points.ts';

/** Steps in memory at most. The browser's cache has the others. */
const STEPS_MAX = 16;
const TIMEOUT_MS = 20_000;

/** The spans of time: their names, and how many days and steps they have. */
export const SPANS = {
  '24h': { text: '24 hours', days: 1, steps: 96 },
  '90d': { text: '90 days', days: 90, steps: 90 },
} as const;
const urlOf = (span: ReplayQuery['span'], at?: string) => hrefs.api.places(SPANS[span].days, at);

async function read<T>(url: string): Promise<T> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(String(response.status));
  return (await response.json()) as T;
}

/** The nodes of a step by status, and who joined and left in it; means of its quarters. */
export type Totals = Record<PeerStatus | 'joined' | 'left', number>;

/** What the map shows of another time. */
export interface Past {
  /** When: "11 Oct 2026", or a quarter of an hour in the visitor's time zone. */
  time: string;
  /** Null: not measured, or not loaded. */
  totals: Totals | null;
  shown: Shown;
  nodes: number;
  /** Whether it is known where the network was then. */
  measured: boolean;
}

/** How long a step of the last 24 hours is, and how often steps are recorded, ms. */
export const QUARTER_MS = 900_000;
/** A step is listed so long after its end, at most, ms. */
const RECORDED_MS = 30_000;

/** The steps of a span, with their totals. */
export const loadSteps = (span: ReplayQuery['span']) => read<PlaceHistory>(urlOf(span));

/** The totals of the steps that were measured, by their start. The replay works without them. */
export async function loadTotals(span: ReplayQuery['span']): Promise<ReadonlyMap<string, Totals>> {
  const { steps } = await read<NetworkHistory>(hrefs.api.history(SPANS[span].days));
  return new Map(steps.flatMap((step) => (isMeasured(step) ? [[step.at, step]] : [])));
}

const isMeasured = (step: NetworkStep): step is NetworkStep & Totals => step.online !== null;

/** All nodes, whatever their status. */
export const nodesOf = (totals: Totals): number =>
  PEER_STATUSES.reduce((sum, status) => sum + totals[status], 0);

/** How long until the list of steps has another one, ms. @param to the end of what it has now */
export const untilNextStep = (to: string, now: number): number =>
  Math.max(RECORDED_MS, Date.parse(to) + QUARTER_MS + RECORDED_MS - now);

/**
 * The step that is shown, by its index: the one that starts at the chosen moment; otherwise the first while it plays
 * from the beginning, and else the last. 0 if there is none.
 */
export function stepAt(
  steps: readonly Pick<PlaceStep, 'at'>[],
  chosen: number | null,
  playing: boolean,
): number {
  const found = steps.findIndex(({ at }) => Date.parse(at) === chosen);
  if (found >= 0) return found;
  return chosen === null && playing ? 0 : Math.max(0, steps.length - 1);
}

/** Where the network was, step by step: those shown last and those to be shown next stay in memory. */
export class StepStore {
  readonly #steps = new Map<string, Promise<PlacesAtStep['places']>>();

  /** @param at the start of a step that was measured */
  load(span: ReplayQuery['span'], at: string): Promise<PlacesAtStep['places']> {
    const url = urlOf(span, at);
    const known = this.#steps.get(url);
    const loading = known ?? read<PlacesAtStep>(url).then(({ places }) => places);
    // The last one in the map is the one used last.
    this.#steps.delete(url);
    this.#steps.set(url, loading);
    if (!known) {
      loading.catch(() => this.#steps.delete(url));
      const [oldest] = this.#steps.keys();
      if (this.#steps.size > STEPS_MAX && oldest !== undefined) this.#steps.delete(oldest);
    }
    return loading;
  }

  /** Forgets all steps: the last one is of a time that isn't over. */
  clear(): void {
    this.#steps.clear();
  }
}

/** As the map draws them: of another time there are no statuses and classes. */
export const placesOf = ({ lat, lng, region, nodes }: PlacesAtStep['places']): Place[] =>
  nodes.map((count, n) => {
    const at = { lat: lat[n] ?? 0, lng: lng[n] ?? 0, region: region[n] ?? '' };
    return { ...at, id: placeId(at), counts: [count] };
  });

const day = { weekday: 'short', day: 'numeric', month: 'short' } as const;
const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const moment = new Intl.DateTimeFormat(timeLocale, { ...day, ...time });
const timeOfEnd = new Intl.DateTimeFormat(timeLocale, { ...time, timeZoneName: 'short' });

/** "Sun 22 Nov, 10:15–10:30 GMT+13" in the visitor's zone, or "22 Nov 2026", a day in UTC. */
export function stepTime(span: ReplayQuery['span'], { at }: Pick<PlaceStep, 'at'>): string {
  if (span === '90d') return dateText(at.slice(0, 10));
  const from = Date.parse(at);
  return `${moment.format(from)}–${timeOfEnd.format(from + QUARTER_MS)}`;
}

/** What was then: "9,812 nodes at 3,201 places". */
export function stepCount({ nodes: heard, places }: PlaceStep): string {
  if (heard === null || places === null) return 'Not measured';
  return heard === 0
    ? 'No nodes'
    : `${nodes(heard)} at ${places === 1 ? '1 place' : `${places.toLocaleString('en-US')} places`}`;
}

/** "565 nodes, 4 joined, 2 left". */
export const totalsText = (totals: Totals): string =>
  `${nodes(nodesOf(totals))}, ${count(totals.joined)} joined, ${count(totals.left)} left`;

/** Below the curve: its ends, and two moments in between where there is room. */
export function edgeTimes(span: ReplayQuery['span'], steps: readonly PlaceStep[]): string[] {
  if (span === '90d') {
    const days = steps.map(({ at }) => at.slice(0, 10));
    return axisDates(days, new Date().toISOString().slice(0, 10));
  }
  return [steps[0], steps.at(-1)].flatMap((step) =>
    step ? [moment.format(Date.parse(step.at))] : [],
  );
}

/** When the quarter that has begun will be recorded. */
export const nextTime = (to: string): string => timeOfEnd.format(Date.parse(to) + QUARTER_MS);
