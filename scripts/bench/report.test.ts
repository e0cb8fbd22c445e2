import { expect, test } from 'vitest';
import { figure } from '../figures.ts';
import { formatRows } from './report.ts';

test('a trial has a row for each part and build, counts out of their attempts, and its problems below', () => {
  const partOf = (through: number) => [
    figure('At rest: newcomers', 4, 'of 4'),
    figure('At rest: p50', 1.5, 'ms', '< 10'),
    figure('Slow: newcomers', through, 'of 4'),
    figure('Slow: p50', NaN, 'ms', '< 10'),
  ];
  const late = figure('Slow: nodes: no answer in 10 s', 7, '', 'none');
  const builds = { old: [[...partOf(0), late]], new: [partOf(3), partOf(4)] };
  const table = formatRows({
    scenario: 'attacks',
    nodes: 1,
    processes: 1,
    rows: 'Attack',
    builds,
    problems: [],
  });
  expect(table.replace(/ +/g, ' ').split('\n')).toEqual([
    '| Attack | newcomers | p50, ms |',
    expect.stringMatching(/^\| -+ \| -+: \| -+: \|$/),
    '| At rest, `old` | 4 of 4 | 1.50 |',
    '| At rest, `new` | 4 (4–4) of 4 | 1.50 (1.50–1.50) |',
    '| Slow, `old` | 0 of 4 | – |',
    '| Slow, `new` | 3.50 (3–4) of 4 | – |',
    '| Aim | | < 10 |',
    '',
    '- Slow, `old`: nodes: no answer in 10 s: 7',
  ]);
});
