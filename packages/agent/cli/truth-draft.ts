import { bansOf, readProposedBans } from '../truth/bans.ts';
import { readCheckpoint } from '../log/checkpoint.ts';
import { describeContent } from '../truth/describe.ts';
import {
  draftRoot,
  draftTruth,
  endOf,
  ROLES,
  type RoleChanges,
  type RoleName,
} from '../truth/draft.ts';
import { writePublicFile, type Content } from '../truth/files.ts';
import { requirePublicKey } from '../truth/key.ts';
import { readKnown, type Known } from '../truth/known.ts';
import { usageError } from '../base/exit.ts';
import { printResult, type Io } from '../terminal/io.ts';
import type { CommonOptions } from './kit.ts';

/** `mesh-agent truth draft`: what the holders are going to sign. */

interface DraftOptions extends CommonOptions {
  expires: string;
  out?: string;
}

type RootOptions = DraftOptions & { network?: string } & Partial<
    Record<`${RoleName}Key`, string[]> & Record<`${RoleName}Threshold`, string>
  >;

/** `mesh-agent truth draft root` */
export function draftRootCommand(io: Io, options: RootOptions): number {
  const now = Date.now();
  const known = readKnown(options.trust, Date.now);
  const roles: RoleChanges = {};
  for (const name of ROLES) {
    const keys = options[`${name}Key`]?.map((key) => requirePublicKey(key, `--${name}-key`));
    const threshold = options[`${name}Threshold`];
    roles[name] = {
      ...(keys && { keys }),
      ...(threshold !== undefined && { threshold: wholeNumber(threshold, `--${name}-threshold`) }),
    };
  }
  const expires = endOf(options.expires, '--expires', now);
  const value = draftRoot(
    known?.trust.root ?? null,
    { network: options.network, roles, expires },
    now,
  );
  return give(io, options, { type: 'root', value }, known, now);
}

interface TruthOptions extends DraftOptions {
  ban?: string[];
  bans?: string;
  unban?: string[];
  reason?: string;
  until?: string;
  checkpoint?: string;
  minProtocol?: string;
}

/** `mesh-agent truth draft truth` */
export function draftTruthCommand(io: Io, options: TruthOptions): number {
  const now = Date.now();
  const known = readKnown(options.trust, Date.now);
  if (known === null)
    throw usageError('A truth needs --trust: what the network has published, or its signed root.');
  const { reason = '', ban = [], unban = [] } = options;
  const until = options.until === undefined ? null : endOf(options.until, '--until', now);
  const proposed = options.bans ? readProposedBans(options.bans, { reason, until }) : null;
  for (const { nodeId, why } of proposed?.notBannable ?? [])
    io.stderr.write(`Not banned: ${nodeId}, ${why}\n`);
  const value = draftTruth(
    known,
    {
      expires: endOf(options.expires, '--expires', now),
      bans: [...bansOf(ban, { reason, until, now }), ...(proposed?.bans ?? [])],
      unban,
      checkpoint:
        options.checkpoint === undefined
          ? null
          : readCheckpoint(options.checkpoint, known, io.env, now),
      minProtocol: options.minProtocol ? wholeNumber(options.minProtocol, '--min-protocol') : null,
    },
    now,
  );
  return give(io, options, { type: 'truth', value }, known, now);
}

/** Writes the draft, or prints it where no file is named. */
function give(
  io: Io,
  { out, json }: DraftOptions,
  content: Content,
  known: Known | null,
  now: number,
): number {
  const draft = content.value;
  if (out === undefined) return printResult(io, { json: true }, draft, []);
  writePublicFile(out, draft, { fresh: true });
  return printResult(io, { json }, { file: out, draft }, [
    ...describeContent(content, known, now),
    '',
    `${out} is a draft. Each holder signs it: mesh-agent truth sign ${out} --key KEY.pem`,
  ]);
}

function wholeNumber(text: string, option: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw usageError(`${option}: ${text} must be a whole number from 1.`);
}
