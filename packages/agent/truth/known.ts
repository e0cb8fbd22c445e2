import type { SignedDocument } from '@mesh-registry/protocol/keys/dsse.schema.ts';
import { readRoot, sameBytes } from '@mesh-registry/protocol/truth/documents.ts';
import type { Truth } from '@mesh-registry/protocol/truth/truth.schema.ts';
import { Trust, TrustError, type TrustState } from '@mesh-registry/protocol/truth/trust.ts';
import { believing, readTruthFile, type TruthFile } from './files.ts';

/** What the files of a network say together, checked as a peer checks it. */
export interface Known {
  trust: Trust;
  /**
   * The last truth. Peers forget it where a newer root no longer names its keys; those who sign do not: the next truth
   * goes on where it was.
   */
  truth: Truth | null;
}

/**
 * Reads the files that were named by `--trust`. The first begins with the root that is trusted.
 * @returns null if none was named
 * @throws CommandError
 */
export function readKnown(files: readonly string[] = [], now: () => number): Known | null {
  let known: Known | null = null;
  for (const file of files) {
    const read = readTruthFile(file);
    const before: Known | null = known;
    known = believing(`${file}: `, () => {
      if (read.kind === 'published') return takeState(before, read.state, now);
      if (read.kind === 'signed') return take(before, read, now);
      throw new TrustError('signature', 'It is an unsigned draft.');
    });
  }
  return known;
}

/** @throws TrustError */
export function takeState(known: Known | null, state: TrustState, now: () => number): Known {
  if (known === null) {
    // That its truth has expired does not matter: it is what peers have believed so far.
    const trust = Trust.restore(state, now);
    return { trust, truth: trust.truth };
  }
  const { trust } = known;
  for (const root of state.roots) takeRoot(trust, root);
  if (state.truth) trust.takeTruth(state.truth);
  return { trust, truth: trust.truth ?? known.truth };
}

/** @throws TrustError */
export function take(
  known: Known | null,
  { content, document }: Extract<TruthFile, { kind: 'signed' }>,
  now: () => number,
): Known {
  if (content.type === 'root') {
    if (known === null) return { trust: new Trust(document, now), truth: null };
    takeRoot(known.trust, document);
    return known;
  }
  if (known === null)
    throw new TrustError(
      'malformed',
      'This is a truth, and trust begins with a root. Name the root as well.',
    );
  const { trust } = known;
  if (trust.truth === null) requireFollows(content.value, known.truth);
  trust.takeTruth(document);
  return { trust, truth: trust.truth };
}

/**
 * Believes the next root. A peer passes over others of versions that it has; here somebody should hear of them.
 * @returns whether it is new, the one that is believed already, or older than the first one
 * @throws TrustError
 */
export function takeRoot(trust: Trust, document: SignedDocument): 'new' | 'known' | 'older' {
  const { roots } = trust.state;
  if (trust.takeRoot(document)) return 'new';
  const { version } = readRoot(document);
  const believed = roots.find((root) => readRoot(root).version === version);
  if (believed === undefined) return 'older';
  if (!sameBytes(believed, document))
    throw new TrustError('fork', "This isn't the root you trust.");
  return 'known';
}

/** Whether a truth could be the next one. @throws TrustError */
export function checkTruth({ trust, truth: before }: Known, truth: Truth): void {
  trust.checkTruth(truth);
  requireFollows(truth, before);
}

function requireFollows(truth: Truth, before: Truth | null): void {
  if (before && truth.version <= before.version)
    throw new TrustError(
      'rollback',
      `Version ${truth.version} of the truth does not come after ${before.version}.`,
    );
  if (before && truth.log.height < before.log.height)
    throw new TrustError(
      'rollback',
      `The log of the truth ends at ${truth.log.height}, before ${before.log.height}.`,
    );
}
