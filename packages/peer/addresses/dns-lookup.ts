import { lookup as systemLookup, Resolver } from 'node:dns/promises';
import { LIMITS } from '../base/limits.ts';
import type { Lookup } from './resolve.ts';

/** How long one question to one name server may take, milliseconds, and how often each server is asked. */
const QUESTION_MS = 2000;
const TRIES = 2;

interface DnsLookupOptions {
  /** `ADDRESS:PORT`; by default those of this machine. */
  servers?: readonly string[];
  /** How long a name may take, milliseconds. */
  limitMs?: number;
}

/**
 * A look-up that asks name servers alone, for names that strangers have chosen. The look-up of the system takes a thread
 * of the process, of which it has few, for as long as a name server likes, and cannot be cancelled: slow names in records
 * would hold up all others. This one takes none, ends in time, and knows no names of this machine's own.
 */
export const dnsLookup =
  ({ servers, limitMs = LIMITS.helloMessageMs }: DnsLookupOptions = {}): Lookup =>
  async (name, { family }) => {
    const resolver = new Resolver({ timeout: QUESTION_MS, tries: TRIES });
    if (servers) resolver.setServers(servers);
    const timer = setTimeout(() => resolver.cancel(), limitMs);
    try {
      const found = await Promise.allSettled([
        ...(family === 6 ? [] : [resolver.resolve4(name)]),
        ...(family === 4 ? [] : [resolver.resolve6(name)]),
      ]);
      return found.flatMap((result) =>
        result.status === 'fulfilled' ? result.value.map((address) => ({ address })) : [],
      );
    } finally {
      clearTimeout(timer);
    }
  };

/**
 * Two look-ups: one for the names of Genesis, which the operator has chosen, one for names in records of strangers. In a
 * private network, machines may have names that no name server knows, so the system looks up both.
 * @param lookup replaces both if it is given
 */
export const lookupsFor = ({
  lookup,
  privateAddresses,
}: {
  lookup: Lookup | undefined;
  privateAddresses: boolean;
}): { operator: Lookup; strangers: Lookup } => ({
  operator: lookup ?? systemLookup,
  strangers: lookup ?? (privateAddresses ? systemLookup : dnsLookup()),
});
