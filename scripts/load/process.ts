import { encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import { answerCalls } from '../calls.ts';
import type { Attacks, LoadOptions, StreamOptions, StreamResult } from './generator.ts';
import { crawl } from './attacks/crawler.ts';
import { holdConnections } from './attacks/held.ts';
import { sendLoad } from './load.ts';
import { openStreams } from './streams.ts';

/** The process that generator.ts starts. It does one thing at a time. */

let close: (() => StreamResult) | undefined;
let endAttack: (() => Attacks[keyof Attacks]['result']) | undefined;
type Attack<Name extends keyof Attacks> = (
  options: Attacks[Name]['options'],
) => (() => Attacks[Name]['result']) | Promise<() => Attacks[Name]['result']>;
const ATTACKS: { [Name in keyof Attacks]: Attack<Name> } = {
  held: holdConnections,
  crawler: crawl,
  // The packages of the protocol between nodes are loaded only where they are needed.
  peerFlood: async (options) => (await import('./attacks/peer-flood.ts')).floodPeer(options),
};
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
    endAttack = await ATTACKS[name](options);
  },
  endAttack(): Attacks[keyof Attacks]['result'] {
    if (!endAttack) throw new Error('No attack is under way.');
    return endAttack();
  },
};
export type LoadFunctions = typeof functions;

answerCalls(functions);
