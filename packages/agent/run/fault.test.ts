import { describe, expect, it } from 'vitest';
import type { Problem } from '@mesh-registry/client/index.ts';
import { clockFault, faultOf } from './fault.ts';

const AROUND = {
  url: 'https://mesh.example.org',
  secret: { source: '/etc/mesh-agent/secret', fixed: false },
  configFile: '/etc/mesh-agent/config.toml',
  now: Date.parse('2026-07-17T12:00:00.000Z'),
};

const unreachable = (code: string): Problem => ({
  kind: 'unreachable',
  message: '',
  cause: Object.assign(new TypeError('fetch failed'), { cause: { code, message: code } }),
});

describe('a request that was not answered', () => {
  it.each([
    ['ECONNREFUSED', 'service_away', /unavailable.*ECONNREFUSED/],
    ['UND_ERR_SOCKET', 'service_away', /unavailable/],
    ['ENOTFOUND', 'dns', /mesh\.example\.org cannot be resolved/],
    ['EAI_AGAIN', 'dns', /Check this machine's network and DNS/],
    ['ENETUNREACH', 'network', /no network/],
    [
      'CERT_HAS_EXPIRED',
      'tls_expired',
      /has expired by this machine's clock \(today is 2026-07-17\)/,
    ],
    ['CERT_NOT_YET_VALID', 'tls_expired', /not valid yet/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls', /NODE_EXTRA_CA_CERTS/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls', /Check service\.url/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls', /not trusted/],
  ])('because of %s is told as %s', (code, kind, message) => {
    const fault = faultOf(unreachable(code), 'heartbeat', AROUND);
    expect(fault).toMatchObject({ kind, message: expect.stringMatching(message) as string });
  });

  it('for each of several addresses has the reason of the first', () => {
    const cause = new AggregateError([{ code: 'ENETUNREACH' }, { code: 'ECONNREFUSED' }]);
    const problem: Problem = {
      kind: 'unreachable',
      message: '',
      cause: Object.assign(new TypeError('fetch failed'), { cause }),
    };
    expect(faultOf(problem, 'heartbeat', AROUND).kind).toBe('network');
  });
});

const refused = (status: number, code: string): Problem => ({
  kind: 'refused',
  status,
  code: code as 'internal',
  message: 'Why.',
  issues: [],
  requestId: 'r1',
  retryAfterMs: null,
});

describe('a request that was refused', () => {
  it('for its secret names where the secret is from, or that there is none', () => {
    const problem = refused(401, 'unauthorized');
    expect(faultOf(problem, 'heartbeat', AROUND).message).toContain('/etc/mesh-agent/secret');
    const none = faultOf(problem, 'heartbeat', { ...AROUND, secret: null });
    expect(none.message).toContain('service.secret_file in /etc/mesh-agent/config.toml');
  });

  it('by a newer service, with a code unknown here, is told in the words of the service', () => {
    expect(faultOf(refused(409, 'brand_new'), 'announcement', AROUND)).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('refuses the announcement: Why.') as string,
    });
    expect(faultOf(refused(599, 'brand_new'), 'announcement', AROUND).kind).toBe('service_away');
  });
});

it.each([
  [7_200_000, "120 minutes ahead of the service's"],
  [-90_000, "2 minutes behind the service's"],
  [-45_000, "45 seconds behind the service's"],
])('A clock that is off by %i ms is told in words', (skewMs, words) => {
  expect(clockFault(skewMs).message).toContain(words);
});
