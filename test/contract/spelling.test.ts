import { expect, test } from 'vitest';
import { describeContract, expectError, raw } from './contract.ts';

/** A proxy's rule for one path must not be passed by another spelling of it. */

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

describeContract('spellings of a path', { throughRemix: true }, ({ server }) => {
  /** Sends the path as it is: fetch() would resolve dots and encode. */
  const statusOf = async (path: string, method = 'GET') =>
    (await raw(server, path, { method })).status;

  test('a trailing slash is ignored', async () => {
    for (const path of ['/api/mesh', '/api/registry', '/healthz', '/metrics', '/computes.csv'])
      expect({ path, status: await statusOf(`${path}/`) }).toEqual({ path, status: 200 });
    for (const path of ['/', '/registry/', '/docs/operators/', '/registry/garage/badge.svg/'])
      expect({ path, status: await statusOf(path) }).toEqual({ path, status: 200 });
  });

  test.each([
    '/Metrics',
    '/METRICS/',
    '/metrics//',
    '//metrics',
    '/metrics.data',
    '/Metrics.data',
    '/%6Detrics',
    '/%4Detrics',
    '/healthz//',
    '/api//mesh',
    '/API/mesh',
    '/Api/Mesh/Ping',
    '/computes.CSV',
    '/computes.csv//',
    '/computes.csv.data',
    '/robots.TXT',
    '/registry/garage/Badge.svg',
    '/registry//garage/badge.svg',
    '/registry/garage/badge.svg.data',
    '/review/history.csv//',
    '/Review/history.csv',
    '/review/HISTORY.CSV',
    '/review/history.csv.data',
  ])('%s is unknown for every method, as JSON, without an error in the log', async (path) => {
    for (const method of METHODS)
      await expectError(server, await server.get(path, { method }), 404, 'not_found');
    expect(await statusOf(path, 'HEAD')).toBe(404);
    expect(server.log()).not.toContain('"level":50');
  });

  test.each([
    '/x/../metrics',
    '/./metrics',
    '/x/%2e%2e/metrics',
    '/metrics/.',
    '/metrics#x',
    'http://mesh.example/METRICS',
    'http://mesh.example//metrics',
    'http://mesh.example/%6Detrics',
    'http://mesh.example/x/../metrics',
    'https://mesh.example/metrics.data',
  ])('%s is unknown', async (path) => {
    expect(await statusOf(path)).toBe(404);
  });

  test('the right path is found with a scheme and a host before it, too', async () => {
    for (const path of ['/metrics', '/metrics/', '/api/mesh', '/status', '/', '', '?q=a'])
      expect(await statusOf(`http://mesh.example${path}`)).toBe(200);
  });

  test.each([
    ['/Registry', '/registry'],
    ['/registry//', '/registry'],
    ['//registry', '/registry'],
    ['//evil.example/', '/evil.example'],
    ['/%72egistry?q=a%20b&kind=', '/registry?q=a%20b&kind='],
    ['/Registry/Garage', '/registry/Garage'],
    ['/review//sign-in', '/review/sign-in'],
    ['/REVIEW/Registrations', '/review/registrations'],
    ['http://mesh.example/Registry?q=a', '/registry?q=a'],
    ['/docs/../status', '/status'],
    ['//', '/'],
    ['/?_data=x', '/'],
    ['/?_data=x&_data=y', '/'],
    ['/registry?q=a+b&_data=root', '/registry?q=a+b'],
  ])('%s leads to the page %s', async (path, to) => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await raw(server, path, { method });
      expect({ status: answer.status, location: answer.headers.location }).toEqual({
        status: 301,
        location: to,
      });
      expect(answer.headers['x-request-id']).toMatch(/^.{16,}$/);
    }
    expect(await statusOf(path, 'POST')).toBe(404);
  });

  test('the data of a page has one spelling too', async () => {
    expect(await statusOf('/registry.data')).toBe(200);
    expect(await statusOf('/_root.data')).toBe(200);
    for (const path of ['/Registry.data', '/registry//.data', '//registry.data'])
      await expectError(server, await server.get(path), 404, 'not_found');
  });

  test('/review/history.csv answers GET, HEAD and OPTIONS, and every other method with 405 and Allow', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const response = await server.get('/review/history.csv', { method });
      expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
      await expectError(server, response, 405, 'method_not_allowed');
    }
    const strange = await server.get('/review/history.csv');
    expect(strange.headers.get('access-control-allow-origin')).toBeNull();
    await expectError(server, strange, 401, 'unauthorized');
    const options = await server.get('/review/history.csv', { method: 'OPTIONS' });
    expect(options.status).toBe(204);
    expect(options.headers.get('access-control-allow-origin')).toBeNull();
  });
});
