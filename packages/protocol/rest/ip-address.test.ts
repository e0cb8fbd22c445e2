import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rounds } from '../../../test/support/rounds.ts';
import { containsIpAddress } from './ip-address.schema.ts';

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
    ]) {
      const text = unit.repeat(Math.ceil(4096 / unit.length));
      const before = process.cpuUsage();
      containsIpAddress(text);
      containsIpAddress(`${text}x`);
      const { user, system } = process.cpuUsage(before);
      expect({ unit, slow: user + system > 200_000 }).toEqual({ unit, slow: false });
    }
  });
});
