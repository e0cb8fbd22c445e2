import { signersAmong } from '@mesh-registry/protocol/keys/dsse.ts';
import { fingerprint, readRoot } from '@mesh-registry/protocol/truth/documents.ts';
import {
  ROOT_TYPE,
  TRUTH_TYPE,
  type Ban,
  type Root,
  type Truth,
} from '@mesh-registry/protocol/truth/truth.schema.ts';
import type { Trust } from '@mesh-registry/protocol/truth/trust.ts';
import { line } from '../terminal/io.ts';
import { printable } from '../terminal/printable.ts';
import { duration } from '../run/clock.ts';
import { ROLES } from './draft.ts';
import type { Content } from './files.ts';
import type { Known } from './known.ts';

/** Roots and truths as lines to read. */

/** More bans than this are counted, not listed. */
const BANS_SHOWN = 20;

/** `2026-12-31T00:00:00.000Z, in 30 days` */
function moment(iso: string, now: number): string {
  const left = Date.parse(iso) - now;
  return `${iso}, ${left > 0 ? `in ${duration(left)}` : `${duration(-left)} ago`}`;
}

const banLine = ({ peer, reason, since, until }: Ban) =>
  `${peer}  since ${since.slice(0, 10)}${until === null ? '' : `, until ${until}`}${reason === '' ? '' : `  ${printable(reason)}`}`;

const bansLines = (bans: readonly Ban[], mark: string) => [
  ...bans.slice(0, BANS_SHOWN).map((ban) => `  ${mark}${banLine(ban)}`),
  ...(bans.length > BANS_SHOWN ? [`  … and ${bans.length - BANS_SHOWN} more`] : []),
];

const checkpoint = ({ height, id }: Truth['log']) =>
  height === 0 ? 'no checkpoint yet' : `block ${height}, ${id}`;

/** What a holder is asked to sign, and how it differs from what is believed. */
export function describeContent(content: Content, known: Known | null, now: number): string[] {
  const { network, version, issued, expires } = content.value;
  return [
    `${content.type === 'root' ? 'Root' : 'Truth'} ${version} of ${network}`,
    line('Issued', moment(issued, now)),
    line('Expires', moment(expires, now)),
    ...(content.type === 'root'
      ? rootChanges(content.value, known?.trust.root ?? null)
      : truthChanges(content.value, known?.truth ?? null)),
  ];
}

function rootChanges(root: Root, before: Root | null): string[] {
  return ROLES.flatMap((name) => {
    const role = root.roles[name];
    const known = before?.roles[name];
    const mark = (key: string) => (known && !known.keys.includes(key) ? '+ ' : '  ');
    return [
      line(
        `${name} keys`,
        `${role.threshold} of ${role.keys.length} have to sign${known && known.threshold !== role.threshold ? ` (before: ${known.threshold})` : ''}`,
      ),
      ...role.keys.map((key) => `  ${mark(key)}${key}`),
      ...(known?.keys ?? []).filter((key) => !role.keys.includes(key)).map((key) => `  - ${key}`),
    ];
  });
}

function truthChanges(truth: Truth, before: Truth | null): string[] {
  const has = (bans: readonly Ban[]) => new Set(bans.map((ban) => JSON.stringify(ban)));
  const [then, now] = [has(before?.bans ?? []), has(truth.bans)];
  const added = truth.bans.filter((ban) => !then.has(JSON.stringify(ban)));
  const removed = (before?.bans ?? []).filter((ban) => !now.has(JSON.stringify(ban)));
  return [
    line('Protocol', `${truth.minProtocol} or later`),
    line('Log', checkpoint(truth.log)),
    line('Bans', `${truth.bans.length}: ${added.length} new, ${removed.length} ended`),
    ...bansLines(added, '+ '),
    ...bansLines(removed, '- '),
  ];
}

/** All that is believed, with those who signed it. Whoever trusts the first root trusts all that follows. */
export function overview(trust: Trust) {
  const { root, truth, state } = trust;
  const [first] = state.roots;
  const document = state.roots.at(-1);
  return {
    network: trust.network,
    stale: trust.stale,
    firstRoot: first ? { version: readRoot(first).version, fingerprint: fingerprint(first) } : null,
    root: {
      ...root,
      signers: document ? [...signersAmong(document, ROOT_TYPE, root.roles.root.keys)] : [],
    },
    truth: truth && {
      ...truth,
      signers: state.truth ? [...signersAmong(state.truth, TRUTH_TYPE, root.roles.truth.keys)] : [],
    },
  };
}

/** All that is believed. */
export function describeTrust(trust: Trust, now: number): string[] {
  const { root, truth, network, firstRoot } = overview(trust);
  const signed = (by: string[], key: string) => (by.includes(key) ? '* ' : '  ');
  return [
    line('Network', network),
    ...(firstRoot
      ? [line('First root', `${firstRoot.version}, SHA-256 ${firstRoot.fingerprint}`)]
      : []),
    line('Root', `${root.version}, expires ${moment(root.expires, now)}`),
    ...ROLES.flatMap((name) => {
      const { keys, threshold } = root.roles[name];
      const by = name === 'root' ? root.signers : name === 'truth' ? (truth?.signers ?? []) : [];
      return [
        line(`  ${name}`, `${threshold} of ${keys.length} keys have to sign`),
        ...keys.map((key) => `    ${signed(by, key)}${key}`),
      ];
    }),
    ...(truth === null
      ? [line('Truth', 'none yet')]
      : [
          line(
            'Truth',
            `${truth.version}, issued ${moment(truth.issued, now)}, expires ${moment(truth.expires, now)}`,
          ),
          line('Protocol', `${truth.minProtocol} or later`),
          line('Log', checkpoint(truth.log)),
          line('Bans', String(truth.bans.length)),
          ...bansLines(truth.bans, ''),
        ]),
    ...(trust.stale ? ['STALE: the root or the truth has expired, or there is no truth.'] : []),
    '* has signed',
  ];
}
