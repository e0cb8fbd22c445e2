import type { NameDetails } from '#server/registry/index.ts';

/** "class M, region EU": what was registered of a name, where its node says something else by now; empty if it doesn't. */
export const registeredInWords = (registered: NameDetails['registered']): string =>
  Object.entries(registered)
    .map(([fact, value]) => `${fact} ${value}`)
    .join(', ');
