import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AnnouncedCompute } from '@mesh-registry/protocol/rest/computes.schema.ts';
import { Reason, SentName } from '@mesh-registry/protocol/rest/fields.schema.ts';
import {
  containsIpAddress,
  readsAsIpAddress,
} from '@mesh-registry/protocol/rest/ip-address.schema.ts';
import { noteKey } from '@mesh-registry/protocol/rest/payment-note.schema.ts';
import { csv } from '#app/lib/csv.server.ts';
import { parseQuery } from '#app/features/computes/directory-query.ts';
import { Email, NewPassword, PersonName } from '#server/accounts/accounts.schema.ts';
import { searchText } from '#server/common/search-text.schema.ts';
import { sanitizeLabel } from '#server/mesh/label.ts';
import { parseMeshQuery } from '#server/mesh/mesh-query.schema.ts';
import { similarNames } from '#server/names/alternatives.ts';
import { passesForGenesis } from '#server/names/look-alikes.ts';
import { patternOf } from '#server/nodes/matching.ts';
import { whyRefusedAddress } from '#server/outbox/address.ts';
import { readMoment, readMoney } from '#server/payments/cells.ts';
import { readTable } from '#server/payments/csv-table.ts';
import { namedIn } from '#server/payments/hints.ts';
import { TextIndex } from '#server/search/text-index.ts';
import { stepsOf } from './support/steps.ts';

/**
 * Whatever a stranger writes, the work on it grows with its length: a text of ten times the maximum takes ten times the
 * steps, not a hundred times.
 */

const index = new TextIndex();
for (let n = 0; n < 600; n++) index.set(`${n}`, [`node_${n}`, 'aaaa'.repeat(n % 9)]);

const inUrl = (key: string, text: string) => new URLSearchParams({ [key]: text });

/** What works on a text that somebody sends, with the longest that is sent, characters. */
const CLEANERS: Record<string, [longest: number, clean: (text: string) => unknown]> = {
  'a label': [256, sanitizeLabel],
  'an address in a label': [256, readsAsIpAddress],
  'an address in an id': [255, containsIpAddress],
  'an image': [255, (text) => AnnouncedCompute.shape.image.safeParse(text)],
  'a name, also a reserved one': [32, (text) => SentName.safeParse(text)],
  'names like another': [256, similarNames],
  'a name like Genesis': [32, passesForGenesis],
  'a reason': [500, (text) => Reason.safeParse(text)],
  'the name of a person': [1000, (text) => PersonName.safeParse(text)],
  'an email address': [254, (text) => Email.safeParse(text)],
  'a password': [128, (text) => NewPassword.safeParse(text)],
  'the address of a notification': [500, (text) => whyRefusedAddress(text, false)],
  'a search': [64, (text) => searchText(text, 64)],
  'a term of the text index': [64, (text) => [...index.find(text)]],
  'a place in a URL': [128, (text) => parseMeshQuery(inUrl('at', text))],
  'a view in a URL': [128, (text) => parseMeshQuery(inUrl('map', text))],
  'a moment in a URL': [128, (text) => parseMeshQuery(inUrl('replay', text))],
  'a search of offers': [255, (text) => parseQuery(inUrl('q', text))],
  'a pattern of node ids': [64, (text) => patternOf(text)('a'.repeat(64))],
  'a payment note in a text': [128, noteKey],
  'a confirmation text': [128, namedIn],
  'an amount': [64, readMoney],
  'a time': [64, (text) => readMoment(text, 'ymd')],
  'an export of payments': [1000, (text) => void readTable(`Date,Note,Amount\n${text}`)],
  'a cell that is written': [500, (text) => csv(['text'], [{ text }])],
};

const PIECES = [
  ...[
    '<',
    '>',
    '<b>',
    'b>',
    '<<',
    '</',
    '<a',
    '<script',
    '<script>',
    '</script',
    '<style ',
    '<!--',
  ],
  ...[
    'on',
    'ona',
    'ona ',
    'na=',
    'java',
    'script:',
    'data ',
    'expression',
    'expression(',
    '(',
    ' (',
  ],
  ...[
    'a',
    'a.',
    'a-',
    '.',
    '-',
    '_.',
    'xn--',
    '1',
    '1.',
    '1 ',
    '0',
    'f:',
    ':',
    '0x',
    ' dot ',
    '256-',
  ],
  ...[
    ' ',
    '\t',
    '\r',
    '\n',
    '"',
    '""',
    ',',
    ';',
    "'",
    '=',
    '@',
    '/',
    'https://',
    '*',
    '2026-01-01',
  ],
  ...['é', 'e\u0301', '\u200b', '\u0000', '㌖', 'ﷺ', '１', '٣', 'MESH-', 'MESH-a-', 'g', 'genesis'],
];
const many = (text: string, length: number) =>
  text.repeat(Math.ceil(length / text.length)).slice(0, length);
/** A text of any length: some pieces over and over, then others over and over. */
const endless = fc
  .array(fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 3 }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((parts) => (length: number) => {
    const each = Math.ceil(length / parts.length);
    return parts
      .map((pieces) => many(pieces.join(''), each))
      .join('')
      .slice(0, length);
  });
/** Those that made an earlier version slow. */
const KNOWN = [
  ['<', 'b>'],
  ['<<', '>'],
  ['o', 'na='],
  ['java', 'script:'],
  ['expression', '('],
  ['<script ', '<script '],
].map(
  ([open = '', close = '']) =>
    (length: number) =>
      many(open, length / 2) + many(close, length / 2),
);

describe('ten times the text takes ten times the steps', () => {
  test.each(Object.entries(CLEANERS))('%s', (_, [longest, clean]) => {
    const work = (text: string) => () => {
      try {
        clean(text);
      } catch (error) {
        // It may be refused, but must not have taken too many steps.
        if (!(error instanceof Error) || error.name !== 'AppError') throw error;
      }
    };
    const grows = (written: (length: number) => string) => {
      // Where a text is cut may spare some of the work: the most of some lengths counts.
      const lengths = [0, 1, 2, 3, 4, 5, 6].map((less) => longest - less);
      const once = Math.max(...lengths.map((length) => stepsOf(work(written(length)), 10_000_000)));
      const most = 25 * once + 5000;
      expect(stepsOf(work(written(10 * longest)), most)).toBeLessThanOrEqual(most);
    };
    for (const written of KNOWN) grows(written);
    fc.assert(fc.property(endless, grows), { numRuns: 15 });
  });
});

test('the counter sees what takes quadratic time', () => {
  const trimEnd = (text: string) => text.replace(/\s+$/, '');
  expect(stepsOf(() => trimEnd(`${' '.repeat(1000)}x`), Infinity)).toBeGreaterThan(500_000);
  expect(stepsOf(() => `${' '.repeat(1000)}x`.trim(), Infinity)).toBeLessThan(2000);
});
