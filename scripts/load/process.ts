import { encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import { answerCalls } from '../calls.ts';
import type { LoadOptions, StreamOptions, StreamResult } from './generator.ts';
import { sendLoad } from './load.ts';
import { Viewers } from './streams.ts';

/** The process that generator.ts starts. It does one thing at a time. */

let viewers: Viewers | undefined;
const functions = {
  async load(options: LoadOptions) {
    const { latenciesUs, ...result } = await sendLoad(options);
    return { ...result, latenciesUs: encodeIntoCompressedBase64(latenciesUs) };
  },
  async openStreams(options: StreamOptions): Promise<void> {
    viewers = new Viewers(options);
    await viewers.open();
  },
  closeStreams(): StreamResult {
    if (!viewers) throw new Error('No streams are open.');
    return viewers.close();
  },
};
export type LoadFunctions = typeof functions;

answerCalls(functions);
