import type { SignedDocument } from '@mesh-registry/protocol/keys/dsse.schema.ts';
import { signersAmong } from '@mesh-registry/protocol/keys/dsse.ts';
import { readRoot, readTruth } from '@mesh-registry/protocol/truth/documents.ts';
import { ROOT_TYPE, TRUTH_TYPE, type Role } from '@mesh-registry/protocol/truth/truth.schema.ts';
import { Trust, TrustError } from '@mesh-registry/protocol/truth/trust.ts';
import { fail, ok, warn, type Check } from '../terminal/check.ts';
import { duration } from '../run/clock.ts';
import { takeRoot } from './known.ts';

/** What expires within this time is worth a warning, milliseconds: seven days. */
const SOON_MS = 7 * 86_400_000;

/** What is to be checked. */
export interface Claims {
  roots: readonly SignedDocument[];
  /** Null: there is none, and there should be. */
  truth?: SignedDocument | null;
}

/**
 * Checks what a network publishes as a peer does it, a line for each document.
 * @param trusted what the reader trusts already; null: the first root of the file, which proves nothing by itself
 */
export function verify(
  { roots, truth }: Claims,
  trusted: Trust | null,
  now: () => number,
): Check[] {
  const checks: Check[] = [];
  const attempt = (name: string, action: () => Check): boolean => {
    try {
      checks.push(action());
      return true;
    } catch (error) {
      if (!(error instanceof TrustError)) throw error;
      checks.push(fail(name, error.message));
      return false;
    }
  };

  const believed: { trust: Trust | null } = { trust: trusted };
  for (const root of roots) {
    const { trust } = believed;
    const name = `Root ${versionOf(root)}`;
    const action = trust
      ? () => checkRoot(root, trust)
      : () => checkFirst(root, (believed.trust = new Trust(root, now)));
    if (!attempt(name, action)) return checks;
  }
  const { trust } = believed;
  if (trust === null)
    return [fail('Root', 'There is no trusted root to start from.', 'Name one with --trust.')];
  checks.push(expiry('Root', trust.root.expires, now()));
  if (truth === undefined) return checks;
  if (truth === null) return [...checks, fail('Truth', 'There is none.')];
  if (!attempt('Truth', () => checkTruth(truth, trust))) return checks;
  return [...checks, expiry('Truth', readTruth(truth).expires, now())];
}

function checkFirst(document: SignedDocument, { root }: Trust): Check {
  return warn(
    `Root ${root.version}`,
    `signed by its own keys, ${signers(document, ROOT_TYPE, root.roles.root)}`,
    'Anyone can make such a root. Name the one that you trust with --trust.',
  );
}

function checkRoot(document: SignedDocument, trust: Trust): Check {
  const root = readRoot(document);
  const name = `Root ${root.version}`;
  const before = trust.root;
  switch (takeRoot(trust, document)) {
    case 'new':
      return ok(
        name,
        `signed by the keys of root ${before.version}, ${signers(document, ROOT_TYPE, before.roles.root)}, and by its own, ${signers(document, ROOT_TYPE, root.roles.root)}`,
      );
    case 'known':
      return ok(name, 'the one that you trust');
    case 'older':
      return ok(name, 'older than the first one that you trust');
  }
}

function checkTruth(document: SignedDocument, trust: Trust): Check {
  const taken = trust.takeTruth(document);
  const { version, bans, log } = readTruth(document);
  const count = bans.length === 1 ? '1 ban' : `${bans.length} bans`;
  const content = `${count}, log ${log.height === 0 ? 'without a checkpoint' : `to block ${log.height}`}`;
  return ok(
    `Truth ${version}`,
    `signed by the truth keys of root ${trust.root.version}, ${signers(document, TRUTH_TYPE, trust.root.roles.truth)}; ${content}${taken ? '' : '; the one that you have'}`,
  );
}

function expiry(name: string, expires: string, now: number): Check {
  const left = Date.parse(expires) - now;
  if (left <= 0)
    return fail(
      `${name} expiry`,
      `it expired ${duration(-left)} ago, at ${expires}`,
      'Peers are stale until its holders sign a newer one.',
    );
  const message = `valid for ${duration(left)}, until ${expires}`;
  return left < SOON_MS
    ? warn(`${name} expiry`, message, 'Its holders should sign the next one now.')
    : ok(`${name} expiry`, message);
}

/** `2 of 3, 2 needed` */
function signers(document: SignedDocument, type: string, { keys, threshold }: Role): string {
  return `${signersAmong(document, type, keys).size} of ${keys.length}, ${threshold} needed`;
}

const versionOf = (document: SignedDocument): string => {
  try {
    return String(readRoot(document).version);
  } catch {
    return '?';
  }
};
