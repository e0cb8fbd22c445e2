import type { PeerEvent } from '@mesh-registry/peer/context.ts';
import { putNewest } from '@mesh-registry/peer/base/collections.ts';
import { TokenBucket } from '@mesh-registry/peer/base/token-bucket.ts';
import type { Journal } from '../run/journal.ts';

/** How many lines there may be about what other peers cause: at once, and a minute on average. */
const LINES_BURST = 100;
const LINES_PER_MINUTE = 20;
/** The same refusal or fault is said again after this time, milliseconds. */
const REPEAT_MS = 3_600_000;
/** How many texts are remembered as said. */
const SAID_MAX = 1000;

/** Events that other peers cause, as often as they like. */
const CAUSED = new Set<PeerEvent['kind']>([
  'connected',
  'disconnected',
  'refused',
  'refused_by',
  'truth_refused',
  'blocks_refused',
  'fault',
]);
/** Of these events each is news, also if it says the same as an earlier one. */
const ALWAYS_NEWS = new Set<PeerEvent['kind']>(['connected', 'disconnected']);

/**
 * Writes what happens in a peer to its journal. Nobody fills the disk with it: a banned peer that keeps knocking is one
 * line an hour, and many peers together are few lines a minute; the lines left out are counted in one of their own.
 * @param now milliseconds of a clock that never goes back
 */
export function journalEvents(
  journal: Journal,
  now: () => number = () => performance.now(),
): (event: PeerEvent) => void {
  const lines = new TokenBucket(LINES_PER_MINUTE / 60, LINES_BURST, now);
  /** When each text was said, the oldest first. */
  const said = new Map<string, number>();
  let leftOut = 0;

  const isNews = (kind: PeerEvent['kind'], text: string): boolean => {
    if (!CAUSED.has(kind)) return true;
    const before = ALWAYS_NEWS.has(kind) ? undefined : said.get(text);
    if (before !== undefined && now() - before < REPEAT_MS) return false;
    if (!lines.take()) return false;
    putNewest(said, text, now(), SAID_MAX);
    return true;
  };

  return (event) => {
    const message = messageOf(event);
    if (message === null) return;
    const [level, text, fields = event] = message;
    if (!isNews(event.kind, text)) {
      leftOut += 1;
      return;
    }
    if (leftOut > 0) {
      const count = leftOut;
      leftOut = 0;
      const what = count === 1 ? 'line' : 'lines';
      journal.info('left_out', `Left out ${count} ${what}: repeated, or too many at once.`, {
        count,
      });
    }
    journal[level](event.kind, text, fields);
  };
}

type Message = readonly [level: 'info' | 'warn' | 'error', text: string, fields?: object];

/** Peers are named by their ids, never by addresses. @returns null: nothing to say */
function messageOf(event: PeerEvent): Message | null {
  switch (event.kind) {
    case 'connected':
      return ['info', `Connected to ${event.peer} (${event.direction}).`];
    case 'disconnected':
      return ['info', `Disconnected from ${event.peer}: ${event.reason}.`];
    case 'refused_by':
      return ['warn', `${event.peer} refuses this peer: ${event.code}.`];
    case 'refused':
      return ['info', `Refused ${event.peer}: ${event.code}.`];
    case 'truth':
      return ['info', `Now using root ${event.root} and truth ${event.truth}.`];
    case 'truth_refused':
      return ['warn', `A truth from ${event.from} is rejected: ${event.reason}.`];
    case 'blocks':
      return ['info', `The log has ${event.height} ${event.height === 1 ? 'block' : 'blocks'}.`];
    case 'blocks_refused':
      return ['warn', `A block from ${event.from} is rejected: ${event.reason}.`];
    case 'fault':
      return ['warn', `${event.peer}: ${event.why} (${event.points} points).`];
    case 'alarm':
      return [
        'error',
        `${event.alarm.kind === 'storage' ? 'The disk is not reliable.' : 'Two histories are signed.'} ${event.alarm.detail}`,
        event.alarm,
      ];
    case 'storage':
      return ['error', `Couldn't store data on disk: ${event.message}`];
    // There may be thousands at the start.
    case 'learned':
      return null;
  }
}
