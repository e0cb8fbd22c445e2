import type { HTMLAttributes, KeyboardEvent, PointerEvent } from 'react';
import { useHydrated } from '#app/lib/use-hydrated.ts';

/** Days that charts have in common: pointing at one in any chart points at it in all. */
export interface DayPicker {
  /** How many there are, at least 1. */
  count: number;
  /** The one that is shown, from 0. */
  chosen: number;
  /** Shows another one for as long as the pointer is over it; null: no longer. */
  point: (day: number | null) => void;
  /** Another one is chosen; null: the last one again. */
  choose: (day: number | null) => void;
}

/** What a key does to the chosen one of `count`. Null: back to the last one. Undefined: nothing. */
export function dayAfterKey(key: string, { chosen, count }: DayPicker): number | null | undefined {
  const to = (day: number) => Math.min(count - 1, Math.max(0, day));
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return to(chosen - 1);
    case 'ArrowRight':
    case 'ArrowUp':
      return to(chosen + 1);
    case 'PageDown':
      return to(chosen - 7);
    case 'PageUp':
      return to(chosen + 7);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    case 'Escape':
      return null;
    default:
      return undefined;
  }
}

/**
 * A chart as a slider over its days: pointer, keys, and what it says. Without scripts it is a picture.
 * @param text what the chosen day shows
 * @returns attributes of an element whose width is that of the days
 */
export function useDayPicker(picker: DayPicker, label: string, text: string): Attributes {
  const hydrated = useHydrated();
  if (!hydrated) return { role: 'img', 'aria-label': `${label}. ${text}` };
  const dayAt = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (clientX - left) / width));
    return Math.round(share * (picker.count - 1));
  };
  return {
    role: 'slider',
    tabIndex: 0,
    'aria-label': label,
    'aria-valuemin': 0,
    'aria-valuemax': picker.count - 1,
    'aria-valuenow': picker.chosen,
    'aria-valuetext': text,
    onPointerMove: (event) => picker.point(dayAt(event)),
    onPointerLeave: () => picker.point(null),
    onPointerCancel: () => picker.point(null),
    onPointerUp: (event) => picker.choose(dayAt(event)),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const day = dayAfterKey(event.key, picker);
      if (day === undefined) return;
      event.preventDefault();
      picker.choose(day);
    },
  };
}

type Attributes = HTMLAttributes<HTMLElement>;
