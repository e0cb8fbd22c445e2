// Preloaded into the agent, this is what happens to its machine: its clock is off and jumps, and names cannot be
// resolved. The file MACHINE says what, and may change at any time.
import dns from 'node:dns';
import { readFileSync } from 'node:fs';

const state = () => JSON.parse(readFileSync(process.env.MACHINE, 'utf8'));

const { now } = Date;
Date.now = () => now() + state().aheadMs;

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
