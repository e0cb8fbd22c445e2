import { expect, test } from 'vitest';
import { warningsOf } from './warnings.ts';

const NOW = Date.UTC(2026, 6, 17, 12);
const paid = (amountUsd: number, paidAt = NOW) => ({
  id: 'D-1',
  paidAt: new Date(paidAt).toISOString(),
  amountUsd,
  note: 'MESH-garage-7K3QFA',
});
const plain = {
  payment: { state: 'found' as const, payments: [paid(5)], named: [] },
  feeUsd: 5,
  duplicateConfirmation: false,
  nodeState: 'online' as const,
  notices: [],
};
const titles = (change: Partial<Parameters<typeof warningsOf>[0]>) =>
  warningsOf({ ...plain, ...change }, NOW).map(({ title }) => title);

test('nothing is said of a registration whose payment matches and whose node nobody disputes', () => {
  expect(titles({})).toEqual([]);
  expect(titles({ payment: { state: 'none', payments: [], named: [] } })).toEqual([]);
});

test('a payment of too little, too much, twice, of the future or with another note is named first', () => {
  const differs = (amountUsd: number) => ({
    payment: { state: 'differs' as const, payments: [paid(amountUsd)], named: [] },
  });
  expect(warningsOf({ ...plain, ...differs(4) }, NOW)).toEqual([
    {
      title: 'The payment is $1.00 short.',
      text: '$4.00 came with this note, the fee is $5.00.',
    },
  ]);
  expect(titles(differs(5.5))).toEqual(['The payment is $0.50 too much.']);
  expect(
    titles({ payment: { state: 'several', payments: [paid(5), paid(5)], named: [] } }),
  ).toEqual(['Two payments have this note.']);
  const future = [paid(5, NOW + 2 * 86_400_000)];
  expect(titles({ payment: { state: 'found', payments: future, named: [] } })).toEqual([
    'The payment is dated in the future.',
  ]);
  expect(
    titles({
      payment: { state: 'none', payments: [], named: [paid(5)] },
      duplicateConfirmation: true,
      nodeState: 'blocked',
      notices: ['Its key is another one.'],
    }),
  ).toEqual([
    'Another registration has the same confirmation text.',
    'The payment has another note.',
    'The node is blocked.',
    'Its key is another one.',
  ]);
});
