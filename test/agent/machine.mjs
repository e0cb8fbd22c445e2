// Preloaded into the agent, this is what happens to its machine: its clock is off and jumps, names cannot be resolved,
// and what it waits for comes sooner, so that a test need not wait as long as an operator. The file MACHINE says what
// there is of the first two, and may change at any time.
import dns from 'node:dns';
import { readFileSync } from 'node:fs';

const state = () => JSON.parse(readFileSync(process.env.MACHINE, 'utf8'));

const { now } = Date;
Date.now = () => now() + state().aheadMs;

// The time that a request may take stays as it is: a busy machine needs it.
const OF_REQUESTS = [3000, 10_000];
const { setTimeout } = globalThis;
globalThis.setTimeout = (run, ms, ...args) =>
  setTimeout(
    run,
    ms < 1000 || OF_REQUESTS.includes(ms) ? ms : ms / process.env.TIMES_FASTER,
    ...args,
  );

const { lookup } = dns;
dns.lookup = (host, options, done = options) => {
  if (host !== 'mesh.test') return lookup(host, options, done);
  if (!state().dns)
    return done(
      Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), {
        code: 'ENOTFOUND',
        hostname: host,
      }),
    );
  lookup('127.0.0.1', options, done);
};
