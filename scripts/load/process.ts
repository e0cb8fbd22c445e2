import { encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import type { LoadOptions, StreamOptions, StreamResult } from './generator.ts';
import { sendLoad } from './load.ts';
import { Viewers } from './streams.ts';

/** The process that generator.ts starts. It does one thing at a time. */

export type Methods = typeof methods;
export interface Call {
  name: keyof Methods;
  args: unknown[];
}
export type Outcome = { value: unknown } | { error: string };

let viewers: Viewers | undefined;
const methods = {
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

process.on('message', ({ name, args }: Call) => {
  const method = methods[name] as (...args: unknown[]) => unknown;
  const answer = (outcome: Outcome) => process.send?.(outcome);
  new Promise((resolve) => resolve(method(...args))).then(
    (value) => answer({ value }),
    (error: unknown) => answer({ error: String(error instanceof Error ? error.stack : error) }),
  );
});
process.on('disconnect', () => process.exit());
