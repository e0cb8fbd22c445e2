import { expect, test } from 'vitest';
import { csv } from './csv.server.ts';

const fields = (...values: unknown[]) =>
  csv(
    values.map((_, at) => String(at)),
    [Object.fromEntries(values.entries())],
  )
    .split('\r\n')
    .slice(1)
    .join('\r\n');

test('every line ends in CRLF, the names come first', () => {
  const rows = [
    { name: 'a', n: 1 },
    { name: 'b', n: 2 },
  ];
  expect(csv(['name', 'n'], rows)).toBe('name,n\r\na,1\r\nb,2\r\n');
  expect(csv(['name', 'n'], [])).toBe('name,n\r\n');
});

test('a value with a comma, a quote or a line break is quoted', () => {
  expect(fields('a,b', 'say "hi"', 'two\nlines', "it's")).toBe(
    '"a,b","say ""hi""","two\nlines",it\'s\r\n',
  );
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '-node_a:fire'])(
  'a text that a spreadsheet would run is text: %j',
  (text) => {
    const field = fields(text).replace(/\r\n$/, '');
    expect(field.replace(/^"|"$/g, '')).toBe(`'${text}`);
  },
);

test('a sign further on is left alone, and so is a number', () => {
  expect(fields('a=b', 'a-b', '', -1, 12)).toBe('a=b,a-b,,-1,12\r\n');
});
