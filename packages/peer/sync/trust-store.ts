import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { SignedDocument } from '@mesh-registry/protocol/keys/dsse.schema.ts';
import { readJsonIfWhole, writeDurable } from '@mesh-registry/protocol/durable-file.ts';
import { readRoot } from '@mesh-registry/protocol/truth/documents.ts';
import {
  Trust,
  TrustError,
  type Distrust,
  type TrustState,
} from '@mesh-registry/protocol/truth/trust.ts';

/** What the peer believes, on disk: never forgotten, so that nobody can lead it back to an older truth. */

const Stored = z.object({
  roots: z.array(SignedDocument).min(1),
  truth: SignedDocument.nullable(),
  former: SignedDocument.optional(),
});

export const trustFile = (directory: string): string => join(directory, 'trust.json');

/**
 * What was believed before, if it began with the root that is pinned now; else what is pinned.
 * @throws TrustError if what is stored is damaged, or what is pinned cannot be believed
 */
export function loadTrust(directory: string, pinned: TrustState, now?: () => number): Trust {
  const file = trustFile(directory);
  const isThere = existsSync(file);
  const stored = Stored.nullable().safeParse(readJsonIfWhole(file));
  // To begin anew without a word would let somebody lead the peer back to an older truth.
  if (!stored.success || (isThere && stored.data === null))
    throw new TrustError(
      'malformed',
      `${file} is damaged. Restore it, or remove it to start from the root that is pinned.`,
    );
  const [first] = pinned.roots;
  if (!first) throw new TrustError('malformed', 'There is no root to pin.');
  const believed = stored.data?.roots.some(({ payload }) => payload === first.payload)
    ? Trust.restore(stored.data, now)
    : new Trust(first, now);
  takeNewer(believed, pinned);
  return believed;
}

/** @throws what the file system throws */
export const saveTrust = (directory: string, trust: Trust): void =>
  writeDurable(trustFile(directory), JSON.stringify(trust.state));

/**
 * What is pinned may be older than what was believed before, or have expired: then it has nothing to add. Its truth may
 * be signed by keys that a root which was taken later has removed.
 */
function takeNewer(trust: Trust, { roots, truth }: TrustState): void {
  for (const root of roots) trust.takeRoot(root);
  const last = roots.at(-1);
  if (!truth || !last) return;
  const harmless: Distrust[] = ['expired', 'rollback'];
  if (trust.root.version > readRoot(last).version) harmless.push('signature');
  try {
    trust.takeTruth(truth);
  } catch (error) {
    if (!(error instanceof TrustError) || !harmless.includes(error.reason)) throw error;
  }
}
