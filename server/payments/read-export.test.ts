import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isAppError } from '#server/common/errors.schema.ts';
import { readMoment, readMoney } from './cells.ts';
import { decodeFile, preview } from './csv-table.ts';
import type { Mapping } from './import.schema.ts';
import { readPayments } from './read-export.ts';
import type { ReadFile } from './sort-rows.ts';

const EXPORT = readFileSync(
  join(import.meta.dirname, '..', '..', 'test', 'review', 'exports', 'cash-app.csv'),
  'utf8',
);
const BANK: Mapping = {
  date: 0,
  order: 'dmy',
  amount: 1,
  note: 2,
  id: null,
  currency: null,
  state: null,
};
const bank = (...lines: string[]) => ['Date;Amount;Purpose', ...lines].join('\n');

function read(text: string, mapping?: Mapping): ReadFile {
  const file = readPayments(text, mapping);
  if (file.kind !== 'payments') throw new Error('the file was not recognised');
  return file;
}

describe("the payment app's export", () => {
  test('of every row it is told what became of it, and kept is what came in from a payer', () => {
    const file = read(EXPORT);
    expect(file).toMatchObject({ rows: 10, outgoing: 2, other: 2, incomplete: 1, reversed: [] });
    expect(file.unreadable).toEqual([]);
    expect(
      file.payments.map(({ id, paidAt, amountCents }) => [id, paidAt.toISOString(), amountCents]),
    ).toEqual([
      ['k7d2p9', '2026-11-20T22:03:11.000Z', 500],
      ['k7d2q1', '2026-11-20T23:10:45.000Z', 400],
      ['k7d2q2', '2026-11-19T14:00:00.000Z', 500],
      ['k7d2q3', '2026-11-19T14:04:30.000Z', 500],
      ['k7d2s9', '2026-11-16T07:15:00.000Z', 500],
    ]);
    expect(file.payments[1]?.note).toBe('for my farm: @FARM, thanks!');
    expect(file.payments[2]?.note).toBe('@ATTIC sent twice, sorry');
  });

  test('byte order mark, line ends, separators, the case of the head and more columns do not matter', () => {
    const plain = read(EXPORT);
    const [head = '', ...rows] = EXPORT.split('\n');
    const others = [
      `\uFEFF${EXPORT}`,
      EXPORT.replaceAll('\n', '\r\n'),
      [head.toUpperCase(), ...rows].join('\n'),
      [`${head},More`, ...rows.map((row) => (/"$/.test(row) ? `${row},x` : row))].join('\n'),
    ];
    for (const text of others) expect(read(text).payments).toEqual(plain.payments);
    const tabs = `${head}\n${rows[0]}`.replace(/,(?! )/g, '\t');
    expect(read(tabs).payments).toEqual(plain.payments.slice(0, 1));
  });

  test('a row that cannot be read is named with its line and why; the others are read all the same', () => {
    const [head, first] = EXPORT.split('\n');
    const row = (change: Record<string, string>) =>
      Object.entries(change).reduce((text, [from, to]) => text.replace(from, to), first ?? '');
    const file = read(
      [
        head,
        first,
        '',
        row({ '2026-11-20': '2026-02-30', k7d2p9: 'a' }),
        row({ PST: 'XYZ', k7d2p9: 'b' }),
        row({ '"$5.00"': '"five"', k7d2p9: 'c' }),
        row({ '"k7d2p9"': '' }),
        'only,three,cells',
        row({ k7d2p9: 'd' }),
        // The quotation mark is never closed: the row below is there all the same.
        row({ k7d2p9: 'e', '"@GARAGE"': '"@GARAGE' }),
        row({ k7d2p9: 'f' }),
        row({ k7d2p9: 'g', 'Cash"': 'Cash' }),
      ].join('\n'),
    );
    expect(file.payments.map(({ id }) => id)).toEqual(['k7d2p9', 'd', 'f']);
    expect(file.unreadable.map(({ line }) => line)).toEqual([4, 5, 6, 7, 8, 10, 12]);
    expect(JSON.stringify(file)).not.toMatch(/Quux|Your Cash|five/);
    expect(file.rows).toBe(10);
  });

  test('an id that stands for two payments is told, and the first one kept', () => {
    const [head, first = ''] = EXPORT.split('\n');
    const file = read([head, first, first, first.replaceAll('$5', '$6')].join('\n'));
    expect(file.payments).toHaveLength(2);
    expect(file.unreadable).toEqual([
      { line: 4, why: 'has the same transaction id as line 3, but is another payment' },
    ]);
  });
});

describe('the state of a payment', () => {
  const [head, first = ''] = EXPORT.split('\n');
  const states = (...words: string[]) =>
    read(
      [
        head,
        ...words.map((word, n) =>
          first.replace('PAYMENT DEPOSITED', word).replace('k7d2p9', `id${n}`),
        ),
      ].join('\n'),
    );

  test('only refunded, failed, cancelled and the like takes it back: what is pending is only not there yet', () => {
    const undone = [
      'PAYMENT REFUNDED',
      'Failed',
      'CANCELED',
      'Reversed',
      'Denied',
      'PAYMENT RETURNED',
    ];
    const file = states('PENDING', 'IN REVIEW', '', 'INCOMPLETE', ...undone, 'COMPLETE');
    expect(file).toMatchObject({ incomplete: 10, payments: [{ id: 'id10' }] });
    expect(file.reversed).toEqual(['id4', 'id5', 'id6', 'id7', 'id8', 'id9']);
  });

  test('another file may have a column of it, and nothing but the words of completion count', () => {
    const text = (...states: string[]) =>
      ['Date;Amount;Purpose;Status', ...states.map((state) => `20.11.2026;5;a;${state}`)].join(
        '\n',
      );
    expect(readPayments(text('x'))).toMatchObject({ guessed: { state: 3 } });
    const mapping = { ...BANK, state: 3 };
    const file = read(text('Denied', 'Pending', '', 'Booked', 'uncompleted', 'COMPLETED'), mapping);
    expect(file).toMatchObject({ rows: 6, incomplete: 4, unreadable: [] });
    // Without a column of ids as well: two equal payments were kept, and one of them was given back.
    const ids = file.payments.map(({ id }) => id);
    expect(ids).toHaveLength(2);
    expect(read(text('Refunded', 'Booked'), mapping).reversed).toEqual(ids.slice(1));
  });
});

test('rows that are not imported are listed by line, with a reason, their date and amount, and nobody’s name', () => {
  const file = readPayments(EXPORT) as ReadFile;
  const { outgoing, other, incomplete, unreadable, skipped } = file;
  expect(skipped).toHaveLength(outgoing + other + incomplete + unreadable.length);
  expect(skipped.map(({ line }) => line)).toEqual(
    skipped.map(({ line }) => line).sort((a, b) => a - b),
  );
  for (const { why, cells } of skipped) {
    expect(why).not.toBe('');
    if (cells.length > 0) expect(cells[0]).toMatch(/^\d{4}-/);
  }
  expect(JSON.stringify(skipped)).not.toMatch(/Quux|María|Ñandú|Xiang|Fnord|Çelik|Coffee/);
  const [head = ''] = EXPORT.split('\n');
  const many = Array.from(
    { length: 150 },
    (_, n) => `o${n},2026-11-20 14:00:00 UTC,P2P,USD,-$1.00,,,,,,COMPLETE,note,Zed,`,
  );
  expect(readPayments([head, ...many].join('\n'))).toMatchObject({
    outgoing: 150,
    skipped: { length: 100 },
  });
});

describe('any other file', () => {
  test('is shown with its first rows, and with what its head lets one suppose', () => {
    const text = bank('20.11.2026;5,00;x', '1.2.2026;-5,00;y');
    expect(readPayments(text)).toMatchObject({
      kind: 'unknown',
      columns: ['Date', 'Amount', 'Purpose'],
      sample: [
        ['20.11.2026', '5,00', 'x'],
        ['1.2.2026', '-5,00', 'y'],
      ],
      guessed: { date: 0, order: 'dmy', amount: 1, note: 2 },
    });
    // Which of them is the month nobody knows.
    const slashes = readPayments(bank('3/4/2026;5;x')) as { guessed: Partial<Mapping> };
    expect(slashes.guessed.order).toBeUndefined();
  });

  test('is offered as well where the columns are the app’s, and nothing is written as the app does it', () => {
    const file = readPayments(
      EXPORT.replace(/(2026)-(\d\d)-(\d\d) (.*?) ...(?=")/g, '$2/$3/$1 $4'),
    );
    expect(file).toMatchObject({
      guessed: { id: 0, date: 1, order: 'mdy', amount: 4, note: 11, currency: 3, state: 10 },
      refused: {
        error: expect.stringMatching(/ Line 2: has no date in this format\.$/),
      },
    });
    // One row of it is no reason.
    expect(read(EXPORT.replace('k7d2p9', ''))).toMatchObject({ payments: { length: 4 } });
    const [head = ''] = EXPORT.split('\n');
    const row = (id: string, amount: string, state: string) =>
      `${id},2026-11-21 14:00:00 UTC,P2P,USD,${amount},,,,,,${state},x,Zed,`;
    const slip = row('b', 'n/a', 'COMPLETE');
    expect(read([head, row('a', '$5.00', 'PAYMENT REFUNDED'), slip].join('\n'))).toMatchObject({
      reversed: ['a'],
      unreadable: [{ line: 3, why: 'has no valid amount' }],
    });
    expect(readPayments([head, slip].join('\n')).kind).toBe('unknown');
  });

  test('may have lines above its head, which are left out; a row with a comma too many is no head', () => {
    const above = ['Account Statement', '', 'Kontonummer;DE123', 'Saldo;1.005,00 EUR'];
    const rows = ['20.11.2026;5,00;x, y, and z;', '21.11.2026;5,00;two; many', '21.11.2026;6,00;y'];
    const text = [...above, bank(...rows)].join('\r\n');
    expect(readPayments(text)).toMatchObject({
      columns: ['Date', 'Amount', 'Purpose'],
      headLine: 5,
      sample: { length: 3 },
    });
    const file = read(text, BANK);
    expect(file.payments.map(({ note }) => note)).toEqual(['x, y, and z', 'y']);
    expect(file.unreadable).toEqual([{ line: 7, why: 'has 4 values, but the header has 3' }]);
    const shifted = read(EXPORT);
    // Their lines count from the beginning of the file.
    shifted.skipped = shifted.skipped.map((row) => ({ ...row, line: row.line + 2 }));
    expect(read(`Activity\nAccount,Zoë\n${EXPORT}`)).toEqual(shifted);
    expect(readPayments(`\n\n${bank(...rows)}`)).toMatchObject({ headLine: null });
    // Nor is a row in a file without one: it would be left out.
    expect(() => readPayments(rows.join('\n'), BANK)).toThrow('The file has no header row');
  });

  test('is refused by the first row that is one too many, whatever comes after it', () => {
    const most = bank(...Array<string>(20_000).fill('20.11.2026;5,00;a'));
    expect(read(most + '\n;;\n\n', BANK).payments).toHaveLength(20_000);
    const words = 'The file has more than 20000 rows. Export a shorter period.';
    for (const one of ['20.11.2026;5,00;a', '"'])
      expect(() => readPayments(`${most}\n${one}\n"never closed`, BANK)).toThrow(words);
    // Rows that cannot be read are as many.
    expect(() => readPayments(bank(...Array<string>(20_001).fill('a"b')))).toThrow(words);
    // To say where its columns are it is not read to that row.
    expect(preview(`${most}\n${most}`)).toMatchObject({ sample: { length: 5 } });
    const wide = ';'.repeat(1_000_000);
    expect(readPayments(bank(wide), BANK)).toMatchObject({
      refused: {
        error: 'No row can be read with these columns. Line 2: has more than 200 values.',
      },
    });
  });

  test('equal rows are as many payments, and the same ones in a longer file', () => {
    const short = read(bank('20.11.2026;5,00;a', '20.11.2026;5,00;a'), BANK);
    const long = read(bank('21.11.2026;5,00;a', '20.11.2026;5;a', '20.11.2026;5,00;a'), BANK);
    const ids = (file: ReadFile) => file.payments.map(({ id }) => id);
    expect(new Set(ids(short)).size).toBe(2);
    expect(ids(long).slice(1)).toEqual(ids(short));
    expect(ids(short)).not.toContain(ids(long)[0]);
  });

  test('another currency, and money that went out, are counted and not kept', () => {
    const file = read(
      bank('20.11.2026;5,00 EUR;a', '20.11.2026;€5,00;a', '20.11.2026;-5,00;a', '20.11.2026;0;a'),
      BANK,
    );
    expect(file).toMatchObject({ rows: 4, payments: [], outgoing: 1, other: 3 });
    const text = 'D,A,N,C\n2026-11-20,5.00,a,EUR\n2026-11-20,5.00,a,USD';
    const mapped = read(text, { ...BANK, order: 'ymd', currency: 3 });
    expect(mapped).toMatchObject({ other: 1, payments: [{ amountCents: 500 }] });
  });

  test('a mapping that does not fit is refused at its field', () => {
    const refused = (mapping: Mapping, text = bank('20.11.2026;5;a', '20.11.2026;6;a')) => {
      const file = readPayments(text, mapping);
      return file.kind === 'unknown' ? file.refused?.issues.map(({ path }) => path) : null;
    };
    expect(refused({ ...BANK, date: NaN, note: 9 })).toEqual(['date', 'note']);
    expect(refused({ ...BANK, order: null, amount: 0 })).toEqual(['amount', 'order']);
    expect(refused({ ...BANK, note: 2, id: 2 })).toEqual(['id']);
    // A column that says the same of two payments is no id.
    const text = 'Date;Amount;Purpose;Account\n20.11.2026;5;a;Zed\n20.11.2026;6;a;Zed';
    expect(refused({ ...BANK, id: 3 }, text)).toEqual(['id']);
    // No row has a date of this kind.
    expect(refused({ ...BANK, order: 'ymd' })).toEqual([]);
  });

  test('bytes are text in the encoding they are in', () => {
    const text = 'Währung;5 €';
    expect(decodeFile(Buffer.from(text))).toBe(text);
    const wide = Buffer.from(`\uFEFF${text}`, 'utf16le');
    expect(decodeFile(wide)).toBe(text);
    expect(decodeFile(wide.swap16())).toBe(text);
    expect(decodeFile(Buffer.from('Währung', 'latin1'))).toBe('Währung');
  });
});

test.each([
  ['2026-11-20 14:03:11 PST', 'ymd', '2026-11-20T22:03:11.000Z'],
  ['2026-07-20 14:03:11 EDT', 'ymd', '2026-07-20T18:03:11.000Z'],
  ['2026-11-20T14:03:11.250Z', 'ymd', '2026-11-20T14:03:11.000Z'],
  ['2026-11-20 14:03 +05:30', 'ymd', '2026-11-20T08:33:00.000Z'],
  ['20.11.26', 'dmy', '2026-11-20T00:00:00.000Z'],
  ['11/20/2026, 2:03 PM', 'mdy', '2026-11-20T14:03:00.000Z'],
  ['12/31/2026 12:00 am', 'mdy', '2026-12-31T00:00:00.000Z'],
  ['2028-02-29', 'ymd', '2028-02-29T00:00:00.000Z'],
  ['2027-02-29', 'ymd', null],
  ['20.11.2026', 'ymd', null],
  ['2026-11-20 25:00', 'ymd', null],
  ['2026-11-20 14:03:11 NOPE', 'ymd', null],
  ['1926-11-20', 'ymd', null],
  ['', 'ymd', null],
  [`2026-11-20${' '.repeat(100)}14:03`, 'ymd', null],
] as const)('the date %j (%s) is %s', (cell, order, expected) => {
  const at = readMoment(cell, order);
  expect(at === null ? null : new Date(at).toISOString()).toBe(expected);
});

test.each([
  ['$5.00', 500, 'USD'],
  ['-$5.00', -500, 'USD'],
  ['$-5.00', -500, 'USD'],
  ['$1,000.00', 100_000, 'USD'],
  ['1.000,00', 100_000, null],
  ['1 000,5', 100_050, null],
  ["1'000.00 CHF", 100_000, 'CHF'],
  ['5', 500, null],
  ['(5.00)', -500, null],
  ['5,00-', -500, null],
  ['\u22125.00 USD', -500, 'USD'],
  ['5.00 €', 500, '€'],
  ['1,000', 100_000, null],
] as const)('the amount %j is %i cents of %s', (cell, cents, currency) => {
  expect(readMoney(cell)).toEqual({ cents, currency });
});

test.each([
  '',
  '$',
  'five',
  '5.0.0',
  '1,00,000.00',
  '5.0000',
  '(5.00',
  '99999999999',
  '0x10',
  '1e3',
  `5${' '.repeat(100)}$`,
])('the amount %j is none', (cell) => expect(readMoney(cell)).toBeNull());

test('a file that is cut, garbled or something else is read or refused in our words, and never anything else', () => {
  const columns = fc.integer({ min: -1, max: 15 });
  const mapping = fc.record({
    date: columns,
    order: fc.constantFrom('ymd', 'dmy', 'mdy'),
    amount: columns,
    note: columns,
    id: fc.option(columns),
    currency: fc.option(columns),
    state: fc.option(columns),
  }) as fc.Arbitrary<Mapping>;
  const cut = fc
    .tuple(fc.nat(EXPORT.length), fc.nat(EXPORT.length), fc.string({ unit: 'binary' }))
    .map(([from, to, between]) => EXPORT.slice(0, from) + between + EXPORT.slice(to));
  const signs = fc.string({
    unit: fc.constantFrom('"', ',', ';', '\t', '\n', '\r', '$', '5', '\0', ' ', 'a'),
  });
  fc.assert(
    fc.property(
      fc.oneof(cut, signs, fc.string({ unit: 'binary' })),
      fc.option(mapping),
      (text, mapping) => {
        try {
          const file = readPayments(text, mapping ?? undefined);
          if (file.kind === 'unknown') return;
          const { payments, outgoing, other, incomplete, unreadable, rows } = file;
          expect(payments.length + outgoing + other + incomplete + unreadable.length).toBe(rows);
          for (const { id, amountCents, paidAt, note } of payments) {
            expect(id).toMatch(/^[^\0]{1,100}$/);
            expect(amountCents).toBeGreaterThan(0);
            expect(paidAt.getTime()).not.toBeNaN();
            expect(note).not.toMatch(/[\p{C}\n]/u);
          }
        } catch (error) {
          if (!isAppError(error)) throw error;
          expect(error.message).toMatch(/^\p{Lu}.*[.?]$/u);
        }
      },
    ),
    { numRuns: 200 },
  );
});

test('a row of many padded cells that is not well formed is read to its end', () => {
  // Two ways to read a cell would be 11 to the power of 60 ways to read this: nothing would answer any more.
  const padded = `${Array.from({ length: 60 }, () => '          a').join(',')}, pay "x" now`;
  expect(readPayments(`Date,Amount,Note\n${padded}\n`).kind).toBe('unknown');
});
