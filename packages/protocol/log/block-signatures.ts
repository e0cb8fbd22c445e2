import { signersAmong } from '../keys/dsse.ts';
import type { Trust } from '../truth/trust.ts';
import { readRoot } from '../truth/documents.ts';
import type { Role } from '../truth/truth.schema.ts';
import type { Block, Standing } from './block.ts';
import { BLOCK_SIGNATURES_MAX, BLOCK_TYPE } from './block.schema.ts';

/** How many signatures may still be checked: checking takes some 0.1 ms each, however worthless they are. */
export interface Checks {
  left: number;
}

/** For one batch, however many blocks it has: as many signatures as one block can have. */
export const checksOfBatch = (): Checks => ({ left: BLOCK_SIGNATURES_MAX });

/**
 * Whether enough block keys have signed it: those of the newest root; up to the block that the truth names also those of
 * one earlier root, because what they signed must stay valid when the keys change.
 */
export const isSigned = (block: Block, trust: Trust): boolean =>
  standingOf(block, trust, checksOfBatch()) === 'valid';

/** What the signatures of a block are worth. Checks each key's once; those for which no check is left count as none. */
export function standingOf(block: Block, trust: Trust, checks: Checks): Standing {
  const meets = threshold(block, checks);
  if (meets(trust.root.roles.block)) return 'valid';
  if (!earlierRoles(trust).some(meets)) return 'none';
  return block.header.height <= (trust.truth?.log.height ?? 0) ? 'valid' : 'retired';
}

/** Tells whether as many keys of a role have signed a block as have to. */
function threshold({ envelope }: Block, checks: Checks): (role: Role) => boolean {
  const checked = new Map<string, boolean>();
  const check = (signature: (typeof envelope.signatures)[number]): boolean => {
    if (checks.left === 0) return false;
    checks.left--;
    const signatures = [signature];
    return signersAmong({ ...envelope, signatures }, BLOCK_TYPE, [signature.keyid]).size > 0;
  };
  const keyids = envelope.signatures.map(({ keyid }) => keyid);
  const signatures = envelope.signatures.filter(({ keyid }, i) => keyids.indexOf(keyid) === i);
  return ({ keys, threshold: needed }) => {
    const candidates = signatures.filter(({ keyid }) => keys.includes(keyid));
    let missing = needed;
    for (const [i, signature] of candidates.entries()) {
      if (missing > candidates.length - i) return false;
      const { keyid } = signature;
      if (!checked.has(keyid)) checked.set(keyid, check(signature));
      if (checked.get(keyid) && --missing === 0) return true;
    }
    return false;
  };
}

const earlier = new WeakMap<Trust, { version: number; roles: Role[] }>();

/** The block roles of the roots before the newest one, as far as they differ from it. */
function earlierRoles(trust: Trust): Role[] {
  const { version, roles } = trust.root;
  const known = earlier.get(trust);
  if (known?.version === version) return known.roles;
  const found = new Map<string, Role>();
  for (const document of trust.state.roots) {
    const { block } = readRoot(document).roles;
    found.set(JSON.stringify(block), block);
  }
  found.delete(JSON.stringify(roles.block));
  earlier.set(trust, { version, roles: [...found.values()] });
  return [...found.values()];
}
