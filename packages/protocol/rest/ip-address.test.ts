import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rounds } from '../../../test/support/rounds.ts';
import { containsIpAddress, readsAsIpAddress } from './ip-address.schema.ts';

describe('containsIpAddress', () => {
  const zeros = fc.constantFrom('', '0', '00', '000000');
  const octet = fc.tuple(zeros, fc.nat(255)).map(([lead, n]) => `${lead}${n}`);
  const octets = fc.tuple(octet, octet, octet, octet);
  const word = fc.constantFrom('', 'ip-', 'ec2-', 'node_', 'x', '(', 'my ');
  const scripts = fc.constantFrom('0', '٠', '۰', '०', '๐');

  test('finds IPv4 addresses with leading zeros, spaces around dots, joined as in host names, in any script', () => {
    const joint = fc.oneof(
      fc.tuple(fc.constantFrom('', ' ', '  '), fc.constantFrom('', ' ')).map((s) => s.join('.')),
      fc.constantFrom('-', '_', ','),
    );
    fc.assert(
      fc.property(word, octets, joint, scripts, word, (before, four, joined, zero, after) => {
        const digits = four
          .join(joined)
          .replace(/\d/g, (d) => String.fromCodePoint((zero.codePointAt(0) ?? 0) + Number(d)));
        expect(containsIpAddress(`${before}${digits}${after}`)).toBe(true);
      }),
      { numRuns: rounds(2000) },
    );
  });

  test('finds IPv6 addresses', () => {
    fc.assert(
      fc.property(word, fc.ipV6(), (before, address) => {
        fc.pre(address !== '::');
        expect(containsIpAddress(`${before}${address}`)).toBe(true);
      }),
      { numRuns: rounds(1000) },
    );
  });

  test.each([
    'node_macmini',
    'v1.2.3',
    '1.2.3',
    'rack-7',
    'rack_12-3',
    'US-CA_2',
    '10-20-30',
    '300-400-500-600',
    '1-2_3-4',
    '1. 2. 3',
    'node-2026-11-22-1',
    '2026-11-22-10',
    '2026_11_22_10',
    '550e8400-e29b-41d4-a716-446655440000',
    '12345678',
    'aa-bb-cc-dd-ee-ff',
    'gpu_0001_0002',
    '192-168',
    'llama:3.1',
    '',
  ])('%j is none', (text) => {
    expect(containsIpAddress(text)).toBe(false);
  });

  test('random ids are none', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        expect(containsIpAddress(id)).toBe(false);
      }),
      { numRuns: rounds(2000) },
    );
  });

  test('is fast for any text of 4 KB', () => {
    for (const unit of [
      '1',
      '0',
      '1.',
      '1 ',
      '1 .',
      '1-',
      '0-',
      'f:',
      ' ',
      '٠',
      '2026-11-22-',
      '1 . ',
      '1 dot ',
      'cb ',
      'cb0',
      '0x',
      'x:1 ',
    ]) {
      const text = unit.repeat(Math.ceil(4096 / unit.length));
      const before = process.cpuUsage();
      readsAsIpAddress(text);
      readsAsIpAddress(`${text}x`);
      const { user, system } = process.cpuUsage(before);
      expect({ unit, slow: user + system > 200_000 }).toEqual({ unit, slow: false });
    }
  });
});

describe('readsAsIpAddress', () => {
  const byte = fc.nat(255);
  const bytes = fc.tuple(byte, byte, byte, byte);
  const hex = (n: number, length: number) => n.toString(16).padStart(length, '0');
  const number = ([a, b, c, d]: number[]) =>
    (((a ?? 0) * 256 + (b ?? 0)) * 256 + (c ?? 0)) * 256 + (d ?? 0);
  const blanks = fc.constantFrom('', ' ', '  ');
  const around = fc.constantFrom(['', ''], ['node ', ''], ['', ' (home)'], ['#', ', attic']);
  const scripts = fc.constantFrom('0', '٠', '۰', '०', '๐', '０');
  const found = (text: string, [before = '', after = '']: readonly string[], zero: string) => {
    const written = text.replace(/\d/g, (digit) =>
      String.fromCodePoint((zero.codePointAt(0) ?? 0) + Number(digit)),
    );
    expect([written, readsAsIpAddress(before + written + after)]).toEqual([written, true]);
  };
  const runs = { numRuns: rounds(1000) };

  test('finds four numbers with blanks or any punctuation between them, in any script', () => {
    const joint = fc.oneof(
      fc.constant(' '),
      fc.tuple(blanks, fc.constantFrom(...'.·•:/|-_,;*'), blanks).map((parts) => parts.join('')),
      fc.constantFrom(' dot ', ' (dot) '),
    );
    fc.assert(
      fc.property(bytes, joint, around, scripts, (four, joined, words, zero) =>
        found(four.join(joined), words, zero),
      ),
      runs,
    );
  });

  test('finds dots and blanks that take turns', () => {
    const joint = fc.constantFrom('.', ' ', ' . ', '. ');
    fc.assert(
      fc.property(bytes, joint, joint, joint, ([a, b, c, d], x, y, z) =>
        found(`${a}${x}${b}${y}${c}${z}${d}`, [], '0'),
      ),
      runs,
    );
  });

  test('finds an address in hexadecimal, and as one number', () => {
    fc.assert(
      fc.property(bytes, fc.boolean(), around, scripts, (four, upper, words, zero) => {
        const spell = (text: string) => (upper ? text.toUpperCase() : text);
        found(`0x${spell(hex(number(four), 8))}`, words, '0');
        const pairs = four.map((each) => spell(hex(each, 2))).join(' ');
        // Without a digit they are words.
        if (/\d/.test(pairs)) found(pairs, words, '0');
        found(four.map((each) => `0x${each.toString(16)}`).join('.'), words, '0');
        if (number(four) >= 100_000_000) found(String(number(four)), words, zero);
      }),
      runs,
    );
  });

  test('finds an IPv6 address with blanks', () => {
    fc.assert(
      fc.property(fc.ipV6(), blanks, (address, blank) => {
        fc.pre(address.replaceAll(/[:0]/g, '') !== '');
        found(address.replaceAll(':', `${blank}:${blank}`), [], '0');
      }),
      runs,
    );
    found('2001 db8 0 0 0 0 0 1', [], '0');
  });

  test.each([
    '12345678',
    '20261122',
    '2026-11-22 10',
    '5551234567',
    'Rack 4, Unit 12',
    '24 7 Support',
    'cafe2026',
    'deadbeef',
    'v1.2 42 42',
    '10 Downing Street',
    '3 x 4 x 5 x 6',
    '550e8400-e29b-41d4-a716-446655440000',
    'node_1a2b3c4d',
    'RTX 4090',
    '',
  ])('%j is none', (text) => {
    expect(readsAsIpAddress(text)).toBe(false);
  });
});
