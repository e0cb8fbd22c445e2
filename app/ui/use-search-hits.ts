import { useEffect, useState } from 'react';
import type { SearchResult } from '#server/search/search.schema.ts';

/** How long after the last keystroke the search starts, ms. */
const PAUSE_MS = 150;

export interface FoundHits {
  /** The text that was searched for. */
  text: string;
  /** Null if the search failed. */
  result: SearchResult | null;
}

/**
 * Searches for what is typed once typing pauses. Until the next results are there, the earlier ones stay.
 * @param text trimmed; empty: nothing is searched for
 */
export function useSearchHits(text: string): FoundHits | null {
  const [found, setFound] = useState<FoundHits | null>(null);
  useEffect(() => {
    if (text === '') return;
    const gone = new AbortController();
    const { signal } = gone;
    const search = async () => {
      let result: SearchResult | null = null;
      try {
        // Only who searches needs the client.
        const { trpc } = await import('#app/lib/trpc.client.ts');
        result = await trpc.search.query({ q: text }, { signal });
      } catch {
        // The page of the search says what is wrong.
      }
      if (!signal.aborted) setFound({ text, result });
    };
    const timer = setTimeout(() => void search(), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [text]);
  return text === '' ? null : found;
}
