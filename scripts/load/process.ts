import { setPriority } from 'node:os';
import { encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import { answerCalls } from '../calls.ts';
import type { Attacks, LoadOptions, StreamOptions, StreamResult } from './generator.ts';
import { crawl } from './attacks/crawler.ts';
import { holdConnections } from './attacks/held.ts';
import { sendLoad } from './load.ts';
import { openStreams } from './streams.ts';

/** The process that generator.ts starts. It does one thing at a time. */

let close: (() => StreamResult) | undefined;
type End<Name extends keyof Attacks> = () =>
  | Attacks[Name]['result']
  | Promise<Attacks[Name]['result']>;
type Begin<Name extends keyof Attacks> = (
  options: Attacks[Name]['options'],
) => End<Name> | Promise<End<Name>>;
let endAttack: End<keyof Attacks> | undefined;
const ATTACKS: { [Name in keyof Attacks]: Begin<Name> } = {
  held: holdConnections,
  crawler: crawl,
  // The packages of the protocol between nodes are loaded only where they are needed.
  peerFlood: async (options) => (await import('./attacks/peer-flood.ts')).floodPeer(options),
  readers(options) {
    const load = sendLoad(options);
    return async () => {
      const { answered, bad, refused } = await load;
      return { answered, bad, refused };
    };
  },
};
/** Attackers get the processor time that is left: those of others would have machines of their own. */
const ATTACKER_PRIORITY = 10;

const functions = {
  async load(options: LoadOptions) {
    const { latenciesUs, ...result } = await sendLoad(options);
    return { ...result, latenciesUs: encodeIntoCompressedBase64(latenciesUs) };
  },
  async openStreams(options: StreamOptions): Promise<void> {
    close = await openStreams(options);
  },
  closeStreams(): StreamResult {
    if (!close) throw new Error('No streams are open.');
    return close();
  },
  async attack<Name extends keyof Attacks>(
    name: Name,
    options: Attacks[Name]['options'],
  ): Promise<void> {
    setPriority(ATTACKER_PRIORITY);
    endAttack = await ATTACKS[name](options);
  },
  endAttack(): ReturnType<End<keyof Attacks>> {
    if (!endAttack) throw new Error('No attack is under way.');
    return endAttack();
  },
};
export type LoadFunctions = typeof functions;

answerCalls(functions);
