import type { Registration } from '@mesh-registry/client/index.ts';

/** The page of a registration. Whoever has its address can change it. Services of earlier releases don't name it. */
export const pageOf = (
  { id, pageUrl }: Omit<Registration, 'pageUrl'> & { pageUrl?: string },
  url: string,
): string => pageUrl ?? `${url}/register/${id}`;

const STATUS: Record<Registration['status'], string> = {
  pending_payment: 'is waiting for payment',
  pending_review: 'is waiting for a reviewer, with its payment reported',
  active: 'is active',
  rejected: 'was not activated',
};

/** Lines about a registration, with what to do next. @param url of the service */
export function describe(registration: Registration, url: string): string[] {
  const { id, name, status, nodeId, kinds, rejectionReason, notices = [] } = registration;
  const reason = rejectionReason === null ? '' : `: ${rejectionReason}`;
  return [
    `${name} ${STATUS[status]}${reason}.`,
    '',
    `Node      ${nodeId}, for ${kinds.join(' and ')}, ${registration.nodeProved ? 'proved by its key' : 'not proved by its key'}`,
    ...(status === 'pending_payment' ? payment(registration) : []),
    `Page      ${pageOf(registration, url)}`,
    '          (secret: whoever has this address can change the registration)',
    ...notices.map((notice) => `Notice    ${notice}`),
    ...(status === 'pending_payment'
      ? [
          '',
          'Once you have paid:',
          `  mesh-agent register --paid ${id} --text "confirmation text of the app"`,
        ]
      : []),
  ];
}

const payment = ({ feeUsd, paymentNote, payUrl, expiresAt }: Registration): string[] => [
  `Fee       $${feeUsd.toFixed(2)}, until ${expiresAt.slice(0, 16).replace('T', ' ')} UTC`,
  `Note      ${paymentNote}   (exactly this)`,
  `Pay       ${payUrl}`,
];

/** One line for each. */
export function table(registrations: readonly Registration[]): string[] {
  const rows = registrations.map(({ name, status, kinds, createdAt, id }) => [
    name,
    status,
    kinds.join(','),
    createdAt.slice(0, 10),
    id,
  ]);
  const all = [['NAME', 'STATUS', 'KINDS', 'STARTED', 'ID'], ...rows];
  const widths =
    all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
