import { useLocation } from '@remix-run/react';
import { useEffect, useState } from 'react';

/** A section counts as read from where its heading is this far below the top of the window (px). */
const READING_LINE = 120;

/** Which of the sections is being read; null before the page has hydrated, and above the first one. */
export function useCurrentSection(ids: readonly string[]): string | null {
  const [current, setCurrent] = useState<string | null>(null);
  const { hash } = useLocation();
  const all = ids.join(' ');
  useEffect(() => {
    let frame = 0;
    const look = () => {
      frame = 0;
      setCurrent(currentOf(all.split(' '), hash.slice(1)));
    };
    const later = () => (frame ||= requestAnimationFrame(look));
    later();
    addEventListener('scroll', later, { passive: true });
    addEventListener('resize', later);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener('scroll', later);
      removeEventListener('resize', later);
    };
  }, [all, hash]);
  return current;
}

function currentOf(ids: string[], target: string): string | null {
  const top = (id: string) => document.getElementById(id)?.getBoundingClientRect().top;
  // The last sections never reach the top of the window: there, the one that was asked for counts, or the last.
  const { scrollHeight, clientHeight } = document.documentElement;
  if (scrollHeight > clientHeight && scrollY + clientHeight >= scrollHeight - 2) {
    const below = top(target);
    return ids.includes(target) && below !== undefined && below > 0 ? target : (ids.at(-1) ?? null);
  }
  return ids.findLast((id) => (top(id) ?? Infinity) <= READING_LINE) ?? null;
}
