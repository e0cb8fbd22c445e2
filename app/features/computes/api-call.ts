import type { DirectoryQuery } from './directory-query.ts';

export interface ApiCall {
  /** '' or '?…' for GET /api/registry/computes. */
  search: string;
  /** Filters for which the API has no parameter, in words. */
  unsupported: string[];
}

/**
 * The closest call of the REST interface, which has the parameters `available` and `visibility` and an order of
 * its own. Its answer has every row that the query finds, and more if some filters are unsupported.
 */
export function apiCall(query: DirectoryQuery): ApiCall {
  const params = new URLSearchParams();
  const unsupported: string[] = [];
  const onlyAvailable = query.status.join() === 'available';
  // Busy and offline rows have no free slots, so no row matches both such a status and `free`.
  if (query.free > 0 || onlyAvailable) params.set('available', '1');
  if (query.status.length > 0 && !onlyAvailable) unsupported.push('status');
  const [visibility] = query.visibility;
  if (visibility && query.visibility.length === 1) params.set('visibility', visibility);
  if (query.q) unsupported.push('search');
  if (query.class.length > 0) unsupported.push('class');
  if (query.backend) unsupported.push('backend');
  if (query.region) unsupported.push('region');
  if (query.uptime > 0) unsupported.push('uptime');
  if (query.free > 1) unsupported.push(`at least ${query.free} free slots`);
  return { search: params.size === 0 ? '' : `?${params.toString()}`, unsupported };
}
