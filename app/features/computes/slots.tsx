import type { ComputeStatus } from '#server/computes/values.schema.ts';
import { capacity } from '#app/lib/formatters.ts';

/**
 * Free of configured, as a bar and in numbers. A host may have more slots than replicas: the bar is
 * full then, the numbers say how it is. An SVG, because the page's policy forbids styles in the markup.
 */
export function Slots({ freeSlots, replicas, status }: SlotsProps) {
  return (
    <span className="slots">
      <ShareBar
        share={freeSlots === 0 ? 0 : freeSlots / Math.max(replicas, 1)}
        className={status}
      />
      <span>{capacity({ freeSlots, replicas })}</span>
    </span>
  );
}

interface SlotsProps {
  freeSlots: number;
  replicas: number;
  status: ComputeStatus;
}

/** A part of a whole; more than the whole is the whole. What it shows stands beside it in words. */
export function ShareBar({ share, className }: { share: number; className: string }) {
  return (
    <svg
      className={`slot-bar ${className}`}
      viewBox="0 0 100 8"
      preserveAspectRatio="none"
      aria-hidden
    >
      <rect width={Math.min(share, 1) * 100} height="8" fill="currentColor" />
    </svg>
  );
}
