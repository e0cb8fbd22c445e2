import { expect, test } from 'vitest';
import { z } from 'zod';
import { describeIssues, issuesOf, type Issue } from './issues.schema.ts';

const issues = (...pairs: [string, string][]): Issue[] =>
  pairs.map(([path, message]) => ({ path, message }));
const sentence = (...pairs: [string, string][]) => describeIssues(issues(...pairs), 'The body');

test('a missing field is required; one of the wrong type gets what it must be', () => {
  const Body = z.object({
    lat: z.number('must be a number'),
    size: z.enum(['S', 'M'], 'must be S or M'),
    rows: z.array(z.object({ n: z.int('must be a whole number') }, 'must be an object')),
  });
  const find = (input: unknown) => {
    const { error } = Body.safeParse(input);
    return error ? issuesOf(error, input) : [];
  };
  expect(find({ lat: '1', rows: [{ n: 1 }, {}, { n: null }, 'x'] })).toEqual(
    issues(
      ['lat', 'must be a number'],
      ['size', 'is required'],
      ['rows[1].n', 'is required'],
      ['rows[2].n', 'must be a whole number'],
      ['rows[3]', 'must be an object'],
    ),
  );
});

test('inherited properties count as missing', () => {
  const Body = z.object({ constructor: z.string('must be a string') });
  const { error } = Body.safeParse({});
  expect(error && issuesOf(error, {})).toEqual(issues(['constructor', 'is required']));
});

test.each<[string, [string, string][]]>([
  ['lat is required.', [['lat', 'is required']]],
  [
    'lat and lng are required.',
    [
      ['lat', 'is required'],
      ['lng', 'is required'],
    ],
  ],
  [
    'a, b and c must each be a number.',
    [
      ['a', 'must be a number'],
      ['b', 'must be a number'],
      ['c', 'must be a number'],
    ],
  ],
  [
    'a, b, c, d and 2 more are required.',
    ['a', 'b', 'c', 'd', 'e', 'f'].map((path) => [path, 'is required']),
  ],
  [
    'lat and lng are required, and class must be S, M or L.',
    [
      ['lat', 'is required'],
      ['class', 'must be S, M or L'],
      ['lng', 'is required'],
    ],
  ],
  [
    'a is required; b must be a string; and c is reserved.',
    [
      ['a', 'is required'],
      ['b', 'must be a string'],
      ['c', 'is reserved'],
    ],
  ],
  [
    'a is w; b is x; c is y; and 1 more field is invalid.',
    [
      ['a', 'is w'],
      ['b', 'is x'],
      ['c', 'is y'],
      ['d', 'is z'],
    ],
  ],
  [
    'a and b must not contain a NUL character.',
    [
      ['a', 'must not contain a NUL character'],
      ['b', 'must not contain a NUL character'],
    ],
  ],
  [
    'a is a duplicate: x, and b is a duplicate: x.',
    [
      ['a', 'is a duplicate: x'],
      ['b', 'is a duplicate: x'],
    ],
  ],
  [
    'image must not have a scheme.',
    [
      ['image', 'must not have a scheme'],
      ['image', 'must be a plain label'],
    ],
  ],
  ['The body must be a JSON object.', [['', 'must be a JSON object']]],
])('%s', (expected, pairs) => {
  expect(sentence(...pairs)).toBe(expected);
});
