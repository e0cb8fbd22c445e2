import { describe, expect, test } from 'vitest';
import { meshHref } from '#server/mesh/mesh-query.schema.ts';
import { embedHref, embedTheme, parseEmbedQuery } from './embed-query.ts';

const parse = (search: string) => parseEmbedQuery(new URLSearchParams(search));
const NOTHING = parse('');

describe('the URL of an embedded map', () => {
  test('is plain without any choices, and follows the theme of its reader', () => {
    expect(NOTHING.theme).toBe('auto');
    expect(meshHref(NOTHING.query)).toBe('/');
    expect(embedHref('auto', NOTHING.query)).toBe('/embed');
  });

  test('takes the values of a filter in any order, and the parameters of the map too', () => {
    const same = [
      'filter=idle,online,L,EU,24h',
      'filter=24h,EU,%20L,idle,online',
      'status=online,idle&class=L&region=EU&joined=24h',
      'filter=idle,online&class=L&region=EU&joined=24h',
    ].map((search) => meshHref(parse(search).query));
    expect(new Set(same)).toEqual(new Set(['/?status=online,idle&class=L&region=EU&joined=24h']));
  });

  test('keeps a region that could be something else in a parameter of its own', () => {
    const { query } = parse('region=L');
    expect(query.region).toBe('L');
    expect(embedHref('auto', query)).toBe('/embed?region=L');
    expect(parse('region=L').query.class).toEqual([]);
    expect(parse('filter=L,online,S').query).toMatchObject({
      class: ['S', 'L'],
      status: ['online'],
    });
  });

  test('reads back as it was written', () => {
    const href = '/embed?theme=dark&filter=online,offline,M,EU,7d&q=garage&map=48,11.5,5';
    const { theme, query } = parse(href.slice('/embed?'.length));
    expect(embedHref(theme, query)).toBe(href);
  });

  test.each(['filter=gone,<b>,1y', 'theme=blue', 'map=91,0,3', 'filter=', 'filter=,'])(
    '%s is invalid and counts as absent',
    (search) => expect(parse(search)).toEqual(NOTHING),
  );

  test('has nothing of the page around the map', () => {
    expect(parse('view=list&node=node_a&at=48,11&page=3&panel=folded&replay=24h')).toEqual(NOTHING);
  });
});

test('only a known theme is one', () => {
  for (const theme of ['light', 'dark', 'auto'])
    expect(embedTheme(new URLSearchParams({ theme }))).toBe(theme);
  expect(embedTheme(new URLSearchParams({ theme: 'Dark' }))).toBe('auto');
});
