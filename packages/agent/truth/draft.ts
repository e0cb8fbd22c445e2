import type { z } from 'zod';
import { issueText } from '@mesh-registry/protocol/rest/issues.schema.ts';
import { NO_BLOCK } from '@mesh-registry/protocol/log/block.schema.ts';
import { Root, Truth, type Ban, type Role } from '@mesh-registry/protocol/truth/truth.schema.ts';
import { CommandError, usageError } from '../base/exit.ts';
import type { Known } from './known.ts';

/** Drafts of the next root and the next truth: what is believed now, with what is to change. */

const DAY_MS = 86_400_000;
const UNIT_DAYS = { d: 1, w: 7, y: 365 } as const;

/**
 * When something ends.
 * @param text `30d`, `12w` or `1y` from now, or a day or moment such as 2026-12-31
 * @returns ISO 8601
 */
export function endOf(text: string, option: string, now: number): string {
  const [, count, unit] = /^(\d{1,4})([dwy])$/.exec(text) ?? [];
  const at =
    unit === undefined
      ? /^\d{4}-\d\d-\d\d/.test(text)
        ? Date.parse(text)
        : NaN
      : now + Number(count) * UNIT_DAYS[unit as keyof typeof UNIT_DAYS] * DAY_MS;
  if (Number.isNaN(at))
    throw usageError(
      `${option}: ${text} isn't a time. Use 30d, 12w, 1y, or a day such as 2026-12-31.`,
    );
  if (at <= now) throw usageError(`${option}: ${text} is in the past.`);
  return iso(at);
}

const iso = (ms: number) => new Date(ms).toISOString();

export const ROLES = ['root', 'truth', 'block'] as const;
export type RoleName = (typeof ROLES)[number];
export type RoleChanges = Partial<Record<RoleName, { keys?: string[]; threshold?: number }>>;

/** The next root. @param network needed for the first one @throws CommandError */
export function draftRoot(
  before: Root | null,
  {
    network,
    roles,
    expires,
  }: { network?: string | undefined; roles: RoleChanges; expires: string },
  now: number,
): Root {
  if (!before && network === undefined)
    throw usageError(
      'A first root needs --network NAME, such as mesh.example.org. For the next root of a network, name what it has published: --trust truth.json',
    );
  if (before && network !== undefined && network !== before.network)
    throw usageError(`--network: this network is ${before.network}; its name never changes.`);
  return requireValid(Root, {
    network: before?.network ?? network,
    version: (before?.version ?? 0) + 1,
    issued: iso(now),
    expires,
    roles: Object.fromEntries(
      ROLES.map((name) => [name, roleOf(name, before?.roles[name], roles[name] ?? {})]),
    ),
  });
}

function roleOf(
  name: RoleName,
  before: Role | undefined,
  { keys = before?.keys, threshold }: { keys?: string[]; threshold?: number },
): Role {
  if (keys === undefined)
    throw usageError(
      `A first root needs --${name}-key KEY, once for each key. "mesh-agent truth key FILE" makes one.`,
    );
  // New keys with the old threshold would be a surprise where there are fewer of them now.
  return { keys, threshold: threshold ?? before?.threshold ?? Math.floor(keys.length / 2) + 1 };
}

export interface TruthChanges {
  expires: string;
  bans: Ban[];
  /** Peer ids whose ban ends. */
  unban: string[];
  checkpoint: Truth['log'] | null;
  minProtocol: number | null;
}

const NO_CHECKPOINT = { height: 0, id: NO_BLOCK };

/** The next truth. Bans that have ended are left out; a peer that is banned already keeps its ban. @throws CommandError */
export function draftTruth(
  { trust, truth: before }: Known,
  { expires, bans, unban, checkpoint, minProtocol }: TruthChanges,
  now: number,
): Truth {
  const known = before?.bans ?? [];
  const isKnown = (peer: string) => known.some((ban) => ban.peer === peer);
  const nobody = unban.find((peer) => !isKnown(peer));
  if (nobody !== undefined) throw usageError(`--unban: ${nobody} is not banned.`);
  const holds = ({ until }: Ban) => until === null || Date.parse(until) > now;
  const added = new Map(bans.filter(({ peer }) => !isKnown(peer)).map((ban) => [ban.peer, ban]));
  const log = checkpoint ?? before?.log ?? NO_CHECKPOINT;
  if (before && log.height < before.log.height)
    throw new CommandError(
      `--checkpoint: the log ends at block ${log.height}, before block ${before.log.height} of the truth. It is not this network’s whole log.`,
    );
  if (before && log.height === before.log.height && log.id !== before.log.id)
    throw new CommandError(
      `--checkpoint: truth ${before.version} names another block ${log.height}. A log never changes.`,
    );
  return requireValid(Truth, {
    network: trust.network,
    version: (before?.version ?? 0) + 1,
    issued: iso(now),
    expires,
    minProtocol: minProtocol ?? before?.minProtocol ?? 1,
    bans: [...known.filter((ban) => holds(ban) && !unban.includes(ban.peer)), ...added.values()],
    log,
  });
}

function requireValid<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => `${issueText(issue)}.`);
  throw usageError(lines.join('\n'));
}
