import type { PeerStatus } from '@mesh-registry/peer/base/status.ts';

/** What a peer process answers on its socket. While it opens its files it has no status yet. */
export type PeerAnswer = PeerStatus | { starting: true };

export const isStatus = (answer: unknown): answer is PeerStatus =>
  typeof answer === 'object' && answer !== null && 'sessions' in answer;
