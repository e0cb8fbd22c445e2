import type { BlockError } from '@mesh-registry/protocol/log/block.ts';
import type { Distrust } from '@mesh-registry/protocol/truth/trust.ts';
import type { RefusalCode } from './messages.schema.ts';
import type { Alarm } from '../base/status.ts';

/** What happens in a peer, as it tells whoever runs it. No event has an address. */
export type PeerEvent =
  | { kind: 'connected'; peer: string; direction: 'inbound' | 'outbound' }
  | { kind: 'disconnected'; peer: string; reason: string }
  /** The other peer has refused this one. */
  | { kind: 'refused_by'; peer: string; code: RefusalCode }
  | { kind: 'refused'; peer: string; code: RefusalCode }
  | { kind: 'learned'; known: number }
  /** A newer root or truth is believed. */
  | { kind: 'truth'; root: number; truth: number }
  | { kind: 'truth_refused'; from: string; reason: Distrust }
  | { kind: 'blocks'; added: number; height: number }
  | { kind: 'blocks_refused'; from: string; reason: BlockError['reason'] }
  | { kind: 'fault'; peer: string; points: number; why: string }
  | { kind: 'alarm'; alarm: Alarm }
  /** What it knows cannot be stored, for example because the disk is full. */
  | { kind: 'storage'; message: string };
