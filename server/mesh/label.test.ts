import fc from 'fast-check';
import { isIP } from 'node:net';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../test/support/rounds.ts';
import { LABEL_MAX } from '@mesh-registry/protocol/rest/fields.schema.ts';
import { exactLabel, sanitizeLabel, whyRefusedLabel } from './label.ts';

const labelOf = (raw: string): string | null => {
  const result = sanitizeLabel(raw);
  return result.ok ? result.label : null;
};

/** The documented rule, written independently. */
const ALLOWED = /^[\p{L}\p{M}\p{Nd} ._\-'()#&+,]*$/u;

/** The part of a label that a reader would take for an address, found by other means than the filter's. */
function addressIn(label: string): string | undefined {
  const plain = label.normalize('NFKD').replace(/\p{M}/gu, '');
  const digits = plain.replace(/\p{Nd}/gu, (digit) => {
    // Digits of any script come in runs of ten.
    let zero = digit.codePointAt(0) ?? 0;
    for (let n = 0; n < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1)); n++) zero--;
    const value = (digit.codePointAt(0) ?? 0) - zero;
    return value < 10 ? String(value) : digit;
  });
  const words = digits.split(/[ ,()#&+']+/);
  return words.find(
    (word) =>
      isIP(word) !== 0 ||
      /^(?:[a-z0-9-]+\.)+[a-z]{2,}$/i.test(word) ||
      word.toLowerCase() === 'localhost',
  );
}

/** Parts of attacks and addresses, and characters that hide them. */
const piece = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...'<>/:.;=()"\'`-_ ,#&+@!?[]{}%\\') },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '<script>',
      '</script>',
      '<scr',
      'ipt>',
      '<img src=x onerror=',
      'javascript:',
      'java',
      'script:',
      'onload=',
      'on',
      'load',
      '=',
      'data:',
      'expression',
      'expression(',
      '<!--',
      '-->',
      '<svg/',
      '<b>',
      '&lt;',
      '<style',
      '<a href=',
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '192',
      '.168',
      '.1',
      '.1',
      '203.0.113.7',
      '203',
      '0',
      '113',
      '7',
      '2001:db8',
      '::1',
      'fe80',
      ':',
      'example',
      '.com',
      'node',
      '.local',
      'localhost',
      'xn--p1ai',
      '１９２',
      '．',
      '。',
      '٣',
      '④',
      '²',
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '\u200b',
      '\u200d',
      '\u00ad',
      '\u202e',
      '\u2066',
      '\u0000',
      '\u0007',
      '\ufeff',
      '\u0301',
      '\u0308',
      '\u{e0061}',
      '\u2028',
      '\ud800',
      '＜',
      '＞',
      '：',
      '㌖',
      'ﷺ',
      'ﬀ',
      '․',
      '‥',
    ),
  },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 4 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }) },
);
const hostile = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(''));

describe('sanitizeLabel', () => {
  it('returns only allowed characters, at most 64 of them, and never markup', () => {
    fc.assert(
      fc.property(hostile, (raw) => {
        const label = labelOf(raw);
        if (label === null) return;
        expect(label).toMatch(ALLOWED);
        expect(label.length).toBeGreaterThan(0);
        expect([...label].length).toBeLessThanOrEqual(LABEL_MAX);
        expect(label).toBe(label.trim());
        expect(label).not.toMatch(/[<>:=]|expression\s*\(/i);
      }),
      { numRuns: rounds(5000) },
    );
  });

  it('leaves its own results unchanged', () => {
    fc.assert(
      fc.property(hostile, (raw) => {
        const label = labelOf(raw);
        if (label !== null) expect(labelOf(label)).toBe(label);
      }),
      { numRuns: rounds(5000) },
    );
  });

  it('never returns anything that reads as an IP address or hostname', () => {
    fc.assert(
      fc.property(hostile, (raw) => {
        const label = labelOf(raw);
        if (label !== null) expect(addressIn(label), JSON.stringify([raw, label])).toBeUndefined();
      }),
      { numRuns: rounds(5000) },
    );
  });

  it('drops every address, however it is disguised', () => {
    const hidden = fc.constantFrom(
      '',
      '\u200b',
      '\u202e',
      '\u00ad',
      '<b>',
      '</b>',
      '<script></script>',
      '\u0000',
    );
    const wide = (text: string) =>
      text.replace(/[!-~]/g, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0));
    const address = fc.oneof(
      fc.ipV4(),
      fc.ipV6().filter((text) => text !== '::'),
      fc.domain(),
      fc.ipV4().map((text) => text.replaceAll('.', '-')),
      fc.ipV4().map((text) => `ip-${text.replaceAll('.', '_')}`),
      fc.constantFrom('localhost', 'printer.local', 'пример.рф', '例え.テスト', 'a.xn--p1ai'),
    );
    fc.assert(
      fc.property(
        address,
        fc.array(fc.tuple(fc.nat(), hidden), { maxLength: 5 }),
        fc.boolean(),
        fc.constantFrom('', 'my ', '(', 'node#1 '),
        fc.constantFrom('', ' here', ')', ','),
        (plain, insertions, isWide, before, after) => {
          let disguised = isWide ? wide(plain) : plain;
          for (const [at, what] of insertions) {
            const index = at % (disguised.length + 1);
            disguised = disguised.slice(0, index) + what + disguised.slice(index);
          }
          // An unclosed tag removes what follows it, and then none of the address may be left.
          const label = labelOf(before + disguised + after);
          if (label !== null) expect(addressIn(label), JSON.stringify(disguised)).toBeUndefined();
          if (insertions.every(([, what]) => !what.includes('<')) && !isWide)
            expect(label).toBeNull();
        },
      ),
      { numRuns: rounds(2000) },
    );
  });

  it('leaves plain words of any script unchanged', () => {
    const word = fc.constantFrom(
      'garage',
      'Zürich',
      'Київ',
      'Αθήνα',
      '東京',
      'とうきょう',
      'ไทย',
      'हिन्दी',
      'العربية',
      'עברית',
      '서울',
      'Đà',
      'Nẵng',
      'ქართული',
      'አማርኛ',
      'தமிழ்',
      'node',
      '42',
      '٤٢',
      "O'Brien",
      'rack-7',
      'A&B',
      'C++',
      '(eu)',
      '#3',
      'v1.2',
      'a_b',
    );
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (words) => {
        const text = words.join(' ').normalize('NFKC');
        // Four numbers read as an address.
        fc.pre(words.filter((word) => /\p{Nd}/u.test(word)).length < 4);
        fc.pre([...text].length <= LABEL_MAX);
        expect(labelOf(text)).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('whyRefusedLabel', () => {
  const ADDRESS =
    'A label can’t be a hostname or an IP address. They are never published. Use a name people know.';
  const HTML = 'A label can’t contain HTML.';
  const CHARACTERS = "Use letters, digits, spaces and . _ - ' ( ) # & + ,";

  it.each([
    ['werk.example.org', ADDRESS, undefined],
    ['203.0.113.7', ADDRESS, undefined],
    ['2001:db8::1', ADDRESS, undefined],
    ['<b>werk.example.org</b>', ADDRESS, undefined],
    ['<b>Villa</b>', HTML, 'Villa'],
    ['Villa <img src=x', HTML, 'Villa'],
    ['<script>alert(1)</script>', HTML, undefined],
    ['Villa onload=x', HTML, 'Villa x'],
    ['Werkstatt: 3', CHARACTERS, 'Werkstatt 3'],
    ['Werkstatt  3', CHARACTERS, 'Werkstatt 3'],
    ['Ｖilla', CHARACTERS, 'Villa'],
    ['a < b', CHARACTERS, 'a b'],
    ['!!!', CHARACTERS, undefined],
    ['\u200b', CHARACTERS, undefined],
    ['GENESIS', 'A label can’t look like “Genesis”: that is the bootstrap peer.', undefined],
    ['x'.repeat(65), 'A label can have at most 64 characters.', undefined],
  ])('%s: the reason, and what is left of it', (raw, message, suggestion) => {
    expect(whyRefusedLabel(raw)).toEqual({
      message,
      ...(suggestion !== undefined && { suggestion }),
    });
  });

  it.each(['Werkstatt 3', ' Werkstatt 3 ', "O'Neill (2nd) #1 & 2, +3", 'Gara\u0308ge'])(
    'null for %s',
    (raw) => {
      expect(whyRefusedLabel(raw)).toBeNull();
      expect(exactLabel(raw)).toBe(raw.trim().normalize('NFC'));
    },
  );

  it('suggests nothing that it would refuse', () => {
    fc.assert(
      fc.property(hostile, (raw) => {
        const suggestion = whyRefusedLabel(raw)?.suggestion;
        if (suggestion !== undefined) expect(whyRefusedLabel(suggestion)).toBeNull();
      }),
      { numRuns: rounds(5000) },
    );
  });
});
