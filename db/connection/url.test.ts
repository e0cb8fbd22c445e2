import { expect, test } from 'vitest';
import { parseDatabaseUrl } from './url.ts';

test('one host stays in the URL; what the driver does not understand is taken out', () => {
  for (const url of [
    'postgres://u:p%40@h:5433/db?sslmode=require',
    'postgresql://u@%2Frun%2Fpg/db',
  ])
    expect(parseDatabaseUrl(url)).toEqual({ url, hosts: [], pooled: false });
  expect(
    parseDatabaseUrl('postgres://u@h/db?sslmode=require&target_session_attrs=any&pgbouncer=true'),
  ).toEqual({ url: 'postgres://u@h/db?sslmode=require', hosts: [], pooled: true });
});

test('several hosts, with ports or without', () => {
  expect(
    parseDatabaseUrl('postgres://u:p@a:5433,b,[::1]:6000/db?target_session_attrs=read-write'),
  ).toEqual({
    url: 'postgres://u:p@a:5433/db',
    hosts: [
      { host: 'a', port: 5433 },
      { host: 'b', port: 5432 },
      { host: '::1', port: 6000 },
    ],
    pooled: false,
  });
});

test('the directory of a Unix socket, as PostgreSQL’s own library takes it', () => {
  expect(parseDatabaseUrl('postgres://u@localhost:5433/db?host=%2Frun%2Fmy%20db')).toEqual({
    url: 'postgres://u@localhost:5433/db',
    hosts: [],
    socket: '/run/my db/.s.PGSQL.5433',
    pooled: false,
  });
  expect(parseDatabaseUrl('postgres://u@localhost/db?host=./data').socket).toBe(
    './data/.s.PGSQL.5432',
  );
  expect(() => parseDatabaseUrl('postgres://u@h/db?host=other')).toThrow('Unix socket');
});
