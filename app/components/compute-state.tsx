import type { ComputeStatus, PeerStatus } from '../../server/schemas/values.ts';
import { StatusGlyph } from './glyph.tsx';

/** A disc available, an open ring busy, a cross offline: the map's signs, in the sense they have there. */
const SIGN: Record<ComputeStatus, PeerStatus> = {
  available: 'online',
  busy: 'idle',
  offline: 'offline',
};

/** The state of a compute with its sign. */
export function ComputeState({ status }: { status: ComputeStatus }) {
  return (
    <span className="status">
      <StatusGlyph status={SIGN[status]} />
      {status}
    </span>
  );
}
