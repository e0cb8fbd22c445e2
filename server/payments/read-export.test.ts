import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rounds } from '../../test/support/rounds.ts';
import { isAppError } from '#server/common/errors.schema.ts';
import { decodeFile, preview } from './csv-table.ts';
import type { Mapping } from './import.schema.ts';
import { readPayments, type ReadFile } from './read-export.ts';

const exported = (file: string) =>
  readFileSync(join(import.meta.dirname, '..', '..', 'test', 'review', 'exports', file), 'utf8');
/** With the columns that public importers knew until 2024; the people and the numbers are invented. */
const EXPORT = exported('cash-app.csv');
/** With those that they know since 2025: another order, no name and no account, and ids only of payments. */
const EXPORT_2025 = exported('cash-app-2025.csv');
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
  test('every row counts in one kind, and only incoming payments are read', () => {
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

  test('its columns may come in another order, without the payer’s name', () => {
    const file = read(EXPORT_2025);
    expect(file).toMatchObject({ rows: 7, outgoing: 2, other: 2, incomplete: 1 });
    expect(file.unreadable).toEqual([]);
    expect(file.reversed).toHaveLength(1);
    expect(
      file.payments.map(({ id, paidAt, amountCents, note }) => [
        id,
        paidAt.toISOString(),
        amountCents,
        note,
      ]),
    ).toEqual([
      ['m4t8a1', '2026-11-20T22:03:11.000Z', 500, '@GARAGE'],
      ['m4t8a4', '2026-11-18T14:12:36.000Z', 100_500, 'for @ATTIC, and rent'],
    ]);
  });

  test('its report of Bitcoin alone, which has no notes, is not taken for it', () => {
    const bitcoin =
      'Transaction ID,Date,Transaction Type,Currency,Amount,Fee,Net Amount,Asset Type,Asset Price,Asset Amount\n' +
      'm4t8b1,2026-11-19 16:29:46 EST,Bitcoin Sale,USD,$50.00,-$1.49,$48.51,BTC,"$107,642.54",0.0004645 BTC';
    expect(readPayments(bitcoin).kind).not.toBe('payments');
  });

  test('byte order mark, line ends, separators, the header’s letter case and additional columns do not matter', () => {
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

  test('an unreadable row is reported with line and reason, and the other rows are read', () => {
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
        // A quotation mark that is never closed does not swallow the row below.
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

  test('of two payments with the same id the second one is reported as unreadable', () => {
    const [head, first = ''] = EXPORT.split('\n');
    const file = read([head, first, first, first.replaceAll('$5', '$6')].join('\n'));
    expect(file.payments).toHaveLength(2);
    expect(file.unreadable).toEqual([
      { line: 4, why: 'has the same transaction ID as line 3, but is another payment' },
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

  test('refunded, failed, cancelled and the like reverse a payment, and pending does not', () => {
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

  test('is read from the chosen column of another file, and only the words for completed count', () => {
    const text = (...states: string[]) =>
      ['Date;Amount;Purpose;Status', ...states.map((state) => `20.11.2026;5;a;${state}`)].join(
        '\n',
      );
    expect(readPayments(text('x'))).toMatchObject({ guessed: { state: 3 } });
    const mapping = { ...BANK, state: 3 };
    const file = read(text('Denied', 'Pending', '', 'Booked', 'uncompleted', 'COMPLETED'), mapping);
    expect(file).toMatchObject({ rows: 6, incomplete: 4, unreadable: [] });
    // Also without a column of ids: of two equal payments, one is reversed.
    const ids = file.payments.map(({ id }) => id);
    expect(ids).toHaveLength(2);
    expect(read(text('Refunded', 'Booked'), mapping).reversed).toEqual(ids.slice(1));
  });
});

test('skipped rows are listed by line, with reason, date and amount, and without names', () => {
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
  const last = 'bad,2026-11-20 14:00:00 UTC,P2P,USD,five,,,,,,COMPLETE,note,Zed,';
  const listed = (readPayments([head, ...many, last].join('\n')) as ReadFile).skipped;
  expect(listed).toHaveLength(100);
  expect(listed.at(-1)).toEqual({ line: 152, why: 'has no valid amount', cells: [] });
});

describe('any other file', () => {
  test('is shown with its first rows and a mapping guessed from its header', () => {
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
    // Either number could be the month.
    const slashes = readPayments(bank('3/4/2026;5;x')) as { guessed: Partial<Mapping> };
    expect(slashes.guessed.order).toBeUndefined();
  });

  test('has to be mapped if it has the app’s columns but no row that the app wrote', () => {
    const file = readPayments(
      EXPORT.replace(/(2026)-(\d\d)-(\d\d) (.*?) ...(?=")/g, '$2/$3/$1 $4'),
    );
    expect(file).toMatchObject({
      guessed: { id: 0, date: 1, order: 'mdy', amount: 4, note: 11, currency: 3, state: 10 },
      refused: {
        error: expect.stringMatching(/ Line 2 has no date in this format\. /),
      },
    });
    // One broken row is not enough.
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

  test('may have lines above its header, and a row with an additional comma is not the header', () => {
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
    // Lines are counted from the beginning of the file.
    shifted.skipped = shifted.skipped.map((row) => ({ ...row, line: row.line + 2 }));
    expect(read(`Activity\nAccount,Zoë\n${EXPORT}`)).toEqual(shifted);
    expect(readPayments(`\n\n${bank(...rows)}`)).toMatchObject({ headLine: null });
    // Without a header no row is used as one: its payment would be lost.
    expect(() => readPayments(rows.join('\n'), BANK)).toThrow('The file has no header row');
  });

  test('is refused at the first row over the limit, whatever follows', () => {
    const most = bank(...Array<string>(20_000).fill('20.11.2026;5,00;a'));
    expect(read(most + '\n;;\n\n', BANK).payments).toHaveLength(20_000);
    const words = 'The file has more than 20000 rows. Export a shorter period.';
    for (const one of ['20.11.2026;5,00;a', '"'])
      expect(() => readPayments(`${most}\n${one}\n"never closed`, BANK)).toThrow(words);
    // Unreadable rows count too.
    expect(() => readPayments(bank(...Array<string>(20_001).fill('a"b')))).toThrow(words);
    // A preview reads only the first rows.
    expect(preview(`${most}\n${most}`)).toMatchObject({ sample: { length: 5 } });
    const wide = ';'.repeat(1_000_000);
    expect(readPayments(bank(wide), BANK)).toMatchObject({
      refused: {
        error:
          'No row can be read with these columns. Line 2 has more than 200 values. Choose other columns or another date format.',
      },
    });
  });

  test('equal rows are separate payments, with the same ids in a longer file', () => {
    const short = read(bank('20.11.2026;5,00;a', '20.11.2026;5,00;a'), BANK);
    const long = read(bank('21.11.2026;5,00;a', '20.11.2026;5;a', '20.11.2026;5,00;a'), BANK);
    const ids = (file: ReadFile) => file.payments.map(({ id }) => id);
    expect(new Set(ids(short)).size).toBe(2);
    expect(ids(long).slice(1)).toEqual(ids(short));
    expect(ids(short)).not.toContain(ids(long)[0]);
  });

  test('other currencies and outgoing payments are counted but not imported', () => {
    const file = read(
      bank('20.11.2026;5,00 EUR;a', '20.11.2026;€5,00;a', '20.11.2026;-5,00;a', '20.11.2026;0;a'),
      BANK,
    );
    expect(file).toMatchObject({ rows: 4, payments: [], outgoing: 1, other: 3 });
    const text = 'D,A,N,C\n2026-11-20,5.00,a,EUR\n2026-11-20,5.00,a,USD';
    const mapped = read(text, { ...BANK, order: 'ymd', currency: 3 });
    expect(mapped).toMatchObject({ other: 1, payments: [{ amountCents: 500 }] });
  });

  test('a wrong mapping is refused at its field', () => {
    const refused = (mapping: Mapping, text = bank('20.11.2026;5;a', '20.11.2026;6;a')) => {
      const file = readPayments(text, mapping);
      return file.kind === 'unknown' ? file.refused?.issues.map(({ path }) => path) : null;
    };
    expect(refused({ ...BANK, date: NaN, note: 9 })).toEqual(['date', 'note']);
    expect(refused({ ...BANK, order: null, amount: 0 })).toEqual(['amount', 'order']);
    expect(refused({ ...BANK, note: 2, id: 2 })).toEqual(['id']);
    // Two payments have the same value in this column, so it has no ids.
    const text = 'Date;Amount;Purpose;Account\n20.11.2026;5;a;Zed\n20.11.2026;6;a;Zed';
    expect(refused({ ...BANK, id: 3 }, text)).toEqual(['id']);
    // No row has a date in this format.
    expect(refused({ ...BANK, order: 'ymd' })).toEqual([]);
  });

  test('UTF-8, UTF-16 and Windows-1252 are decoded', () => {
    const text = 'Währung;5 €';
    expect(decodeFile(Buffer.from(text))).toBe(text);
    const wide = Buffer.from(`\uFEFF${text}`, 'utf16le');
    expect(decodeFile(wide)).toBe(text);
    expect(decodeFile(wide.swap16())).toBe(text);
    expect(decodeFile(Buffer.from('Währung', 'latin1'))).toBe('Währung');
  });
});

test('a cut or garbled file is read, or refused with one of our error messages', () => {
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
    { numRuns: rounds(100) },
  );
});

test('a malformed row of many padded cells is read in linear time', () => {
  // A regular expression with two ways to read a cell would try 11 to the power of 60 ways to read this.
  const padded = `${Array.from({ length: 60 }, () => '          a').join(',')}, pay "x" now`;
  expect(readPayments(`Date,Amount,Note\n${padded}\n`).kind).toBe('unknown');
});
