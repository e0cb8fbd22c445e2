import { setTimeout as sleep } from 'node:timers/promises';
import type { Peer, PeerOptions } from '@mesh-registry/peer/peer.ts';
import { TrustError } from '@mesh-registry/protocol/truth/trust.ts';
import { configurationError } from '../base/exit.ts';

/** How long to wait for a port that is taken: at first and at most, milliseconds. */
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;

interface StartOptions {
  /** Ends the waiting. */
  signal: AbortSignal;
  /** Told once: another program has the port, and the peer waits for it. */
  onWaiting: (message: string) => void;
}

/**
 * Starts a peer. While another program has its port, such as the one before it that is just ending, it tries again: a unit
 * that ended would not be started again.
 * @returns null if it was ended while it waited
 * @throws CommandError if the trust or an address is wrong; what opening the files throws
 */
export async function startPeer(
  options: PeerOptions,
  { signal, onWaiting }: StartOptions,
): Promise<Peer | null> {
  // Nothing else that the agent does needs libp2p.
  const { createPeer } = await import('@mesh-registry/peer/peer.ts');
  for (
    let waitMs = FIRST_WAIT_MS;
    !signal.aborted;
    waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)
  ) {
    try {
      return await createPeer(options);
    } catch (error) {
      requireTaken(error, options.listen);
    }
    if (waitMs === FIRST_WAIT_MS)
      onWaiting(
        `Another program has the port of peer.listen (${portsOf(options.listen)}). The peer starts as soon as it is free; end that program, or choose another port.`,
      );
    await sleep(waitMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
  }
  return null;
}

/** @throws unless a port is taken, and that is all */
function requireTaken(error: unknown, listen: readonly string[]): void {
  if (error instanceof TrustError) throw configurationError(`peer.trust: ${error.message}`);
  // libp2p lists the addresses with a stack each.
  const reasons = [...(error as Error).message.matchAll(/Error: (listen (\w+)[^\n]*)/g)];
  const other = reasons.find(([, , code]) => code !== 'EADDRINUSE');
  if (other)
    throw configurationError(
      `peer.listen: the peer can't listen at ${listen.join(', ')}: ${other[1]}`,
    );
  if (reasons.length === 0) throw error;
}

const portsOf = (listen: readonly string[]): string =>
  [...new Set(listen.flatMap((address) => /\/tcp\/(\d+)/.exec(address)?.[1] ?? []))].join(', ');
