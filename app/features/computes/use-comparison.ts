import { useLocation, useNavigate, useNavigation } from '@remix-run/react';
import { createContext, useContext, useMemo, useState } from 'react';
import type { Compute } from '@mesh-registry/protocol/rest/computes.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { useLatest } from '#app/lib/polling.ts';
import {
  COMPARE_MAX,
  compareKey,
  compareKeys,
  queryString,
  type DirectoryQuery,
} from './directory-query.ts';

/** Which offers of the directory are chosen to be compared, and how to change that. */
export interface Comparison {
  /** By `compareKey`, in the order in which they were chosen. */
  chosen: readonly string[];
  keyOf: (offer: Compute) => string;
  toggle: (key: string) => void;
}

/** Boxes read it from here, so that a choice renders them and not their rows. */
export const ComparisonContext = createContext<Comparison | null>(null);

export function useComparison(): Comparison {
  const comparison = useContext(ComparisonContext);
  if (!comparison) throw new Error('Offers are compared outside of their directory.');
  return comparison;
}

/**
 * The comparison in the URL. A box is ticked at once, though the page of its URL may still be loading.
 * @param query that the page shows, which may be ahead of the URL
 * @param needsName as for `compareKey`
 */
export function useComparisonInUrl(query: DirectoryQuery, needsName: boolean): Comparison {
  const here = useLocation();
  const { location: destination } = useNavigation();
  const navigate = useNavigate();
  /** What was ticked since the history entry `at`, until its URL arrives. */
  const [ahead, setAhead] = useState({ at: '', keys: '' });
  const { search } = destination?.pathname === here.pathname ? destination : here;
  const keys =
    ahead.at === here.key ? ahead.keys : compareKeys(new URLSearchParams(search)).join(',');
  // The same choice under another filter is the same array.
  const chosen = useMemo(() => (keys === '' ? [] : keys.split(',')), [keys]);

  const choose = useLatest((compare: string[]) => {
    setAhead({ at: here.key, keys: compare.join(',') });
    navigate(hrefs.computes(queryString({ ...query, compare })), {
      replace: true,
      preventScrollReset: true,
    });
  });
  return useMemo(
    () => ({
      chosen,
      keyOf: (offer) => compareKey(offer, needsName),
      toggle: (key) => {
        const others = chosen.filter((other) => other !== key);
        const compare = others.length < chosen.length ? others : [...chosen, key];
        if (compare.length <= COMPARE_MAX) choose.current(compare);
      },
    }),
    [chosen, needsName, choose],
  );
}
