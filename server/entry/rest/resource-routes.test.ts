import type { ServerBuild } from '@remix-run/node';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { createRouteFinder, resourceRoutes } from './resource-routes.ts';

let build: ServerBuild;
beforeAll(async () => {
  const file = join(import.meta.dirname, '..', '..', '..', 'build', 'server', 'index.js');
  build = (await import(pathToFileURL(file).href)) as ServerBuild;
});

test('the resource routes of the build are the REST interface, downloads and files for programs', () => {
  expect(
    resourceRoutes(build)
      .map(({ path }) => path)
      .sort(),
  ).toEqual([
    '/api/*',
    '/api/mesh',
    '/api/mesh/history',
    '/api/mesh/history/places',
    '/api/mesh/nodes/:id',
    '/api/mesh/nodes/:id/key',
    '/api/mesh/nodes/:id/registrations',
    '/api/mesh/ping',
    '/api/openapi.json',
    '/api/registry',
    '/api/registry/computes',
    '/api/registry/register',
    '/api/truth',
    '/computes.csv',
    '/computes.json',
    '/healthz',
    '/manifest.webmanifest',
    '/metrics',
    '/nodes.csv',
    '/nodes/:id/feed.atom',
    '/readyz',
    '/registry/:name/badge.svg',
    '/registry/:name/card.png',
    '/registry/:name/feed.atom',
    '/registry/feed.atom',
    '/review/bans.json',
    '/review/history.csv',
    '/robots.txt',
    '/sitemap.xml',
    '/trends.csv',
  ]);
});

test.each([
  '/api',
  '/api/',
  '/api/mesh',
  '/api/mesh/ping',
  '/api/no/such/path',
  '/healthz',
  '/readyz',
  '/metrics',
  '/computes.csv',
  '/computes.json',
  '/nodes.csv',
  '/robots.txt',
  '/sitemap.xml',
  '/registry/garage/badge.svg',
  '/registry/garage/card.png',
  '/review/bans.json',
  '/review/history.csv',
  '/healthz/',
  '/review/history.csv/',
])('%s is the path of a resource route', (path) => {
  expect(createRouteFinder(resourceRoutes(build))(path)).not.toBeNull();
});

test.each([
  '/',
  '/register',
  '/review/sign-in',
  '/apis',
  '/apimesh',
  '/healthz//',
  '/healthzz',
  '/x/healthz',
  '/computesxcsv',
  '/registry/badge.svg',
  '/registry/a/b/badge.svg',
  '/registry/garage/badgexsvg',
  '/registry/garage',
  '/register/reg_1/badge.svg',
  '/review/registrations/history.csv',
  '/review/registrations/x.csv',
  '/review/registrations/x.json',
  '/review/registrations/x%2Fbadge.svg',
  '/review/registrations/robots.txt',
  '/review/history.csv//',
  '/API/mesh',
])('%s is the path of a page, whatever it ends in', (path) => {
  expect(createRouteFinder(resourceRoutes(build))(path)).toBeNull();
});
