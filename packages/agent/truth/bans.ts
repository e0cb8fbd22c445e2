import { readFileSync } from 'node:fs';
import { issueText } from '@mesh-registry/protocol/rest/issues.schema.ts';
import { keyOfPeerId } from '@mesh-registry/protocol/keys/peer-id.ts';
import { ProposedBans, type Ban } from '@mesh-registry/protocol/truth/truth.schema.ts';
import { CommandError, usageError } from '../base/exit.ts';

/** Bans of peers for the next truth, from options and from the reviewers' list. */

/** @param reason public @param until ISO 8601, or null @throws CommandError if an id is that of no peer */
export function bansOf(
  peers: readonly string[],
  { reason, until, now }: { reason: string; until: string | null; now: number },
): Ban[] {
  return peers.map((peer) => {
    if (keyOfPeerId(peer) === null)
      throw usageError(
        `--ban: ${peer} isn’t a peer ID. It begins with 12D3Koo; "mesh-agent identity show" prints a node’s own, and reviewers export those of blocked nodes.`,
      );
    return { peer, reason, since: new Date(now).toISOString(), until };
  });
}

/**
 * The file that reviewers download from the dashboard's page of nodes.
 * @param reason public; of bans that have none
 * @throws CommandError
 */
export function readProposedBans(
  file: string,
  { reason, until }: { reason: string; until: string | null },
): { bans: Ban[]; notBannable: ProposedBans['notBannable'] } {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new CommandError(`--bans: ${file} cannot be read: ${(error as Error).message}`);
  }
  const result = ProposedBans.safeParse(json);
  if (!result.success)
    throw new CommandError(
      `--bans: ${file} isn't a list of proposed bans: ${issueText(result.error.issues[0])}. Reviewers download it from the page of nodes.`,
    );
  const { bans, notBannable } = result.data;
  return {
    bans: bans.map((ban) => ({
      peer: ban.peer,
      reason: ban.reason || reason,
      since: ban.since,
      until: ban.until ?? until,
    })),
    notBannable,
  };
}
