import { encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import { answerCalls } from '../calls.ts';
import type { LoadOptions, StreamOptions, StreamResult } from './generator.ts';
import { sendLoad } from './load.ts';
import { openStreams } from './streams.ts';

/** The process that generator.ts starts. It does one thing at a time. */

let close: (() => StreamResult) | undefined;
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
};
export type LoadFunctions = typeof functions;

answerCalls(functions);
