import { Digest, type Truth } from '@mesh-registry/protocol/truth/truth.schema.ts';
import { CommandError, usageError } from '../base/exit.ts';
import type { Env } from '../config/paths.ts';
import { openLog } from './open-log.ts';
import { verifyLog } from './verify.ts';
import type { Known } from '../truth/known.ts';

/**
 * A block that the log must contain from the next truth on.
 * @param text `HEIGHT:ID`, or the directory of a log: then its last block, once all of it has been checked
 * @param now milliseconds since 1970
 * @throws CommandError
 */
export function readCheckpoint(text: string, known: Known, env: Env, now: number): Truth['log'] {
  const [, height, id = ''] = /^(\d{1,15}):(.*)$/.exec(text) ?? [];
  if (height === undefined) return lastBlock(text, known, env, now);
  if (Digest.safeParse(id).success) return { height: Number(height), id };
  throw usageError(
    `--checkpoint: ${text} isn't HEIGHT:ID. The ID has 64 digits; "mesh-agent log verify" prints both.`,
  );
}

function lastBlock(directory: string, known: Known, env: Env, now: number): Truth['log'] {
  const reader = openLog(directory, undefined, env);
  const { head, checks } = verifyLog(reader, known.trust, now);
  const failed = checks.find(({ level }) => level === 'FAIL');
  if (failed)
    throw new CommandError(`--checkpoint: the log in ${directory} isn't valid: ${failed.message}`);
  const before = known.truth?.log;
  // The trust has forgotten the truth where a newer root names other keys.
  if (before && before.height > 0 && head.height >= before.height)
    if (reader.idAt(before.height) !== before.id)
      throw new CommandError(
        `--checkpoint: block ${before.height} of the log in ${directory} is not the one that truth ${known.truth?.version} names.`,
      );
  return { height: head.height, id: head.id };
}
