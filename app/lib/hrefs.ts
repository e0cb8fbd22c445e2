/**
 * Every address that pages link to or redirect to, as a path from the root. Segments and parameters are encoded here
 * and nowhere else. The state of a page with filters is written beside the function that reads it, in its
 * `*.schema.ts` (`meshHref`, `searchHref` and so on), because the service needs both.
 */

/** Parameters of an address; those that are undefined are left out. */
type Query = Record<string, string | undefined>;

function address(path: string, query: Query): string {
  const given = Object.entries(query).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

/** A page of the documentation, at one of its headings or from its beginning. */
const docsPage = (page: string, heading: string) => `/docs${page}${heading && `#${heading}`}`;

const segment = encodeURIComponent;

export const map = (query: Query = {}) => address('/', query);
export const node = (id: string) => `/nodes/${segment(id)}`;
export const nodeFeed = (id: string) => `/nodes/${segment(id)}/feed.atom`;
export const embed = () => '/embed';

/** @param query what `queryString` of the directory's filters answers */
export const computes = (query = '') => `/computes${query}`;
export const computesCsv = (query = '') => `/computes.csv${query}`;
export const computesJson = (query = '') => `/computes.json${query}`;

export const registry = (query: Query = {}) => address('/registry', query);
export const newNamesFeed = () => '/registry/feed.atom';
export const name = (name: string) => `/registry/${segment(name)}`;
export const nameFeed = (name: string) => `/registry/${segment(name)}/feed.atom`;
export const badge = (name: string) => `/registry/${segment(name)}/badge.svg`;
/** The picture that other sites show beside a link to the name. */
export const card = (name: string) => `/registry/${segment(name)}/card.png`;

/** @param answers of the wizard that are known already */
export const register = (answers: { name?: string; node?: string } = {}) =>
  address('/register', answers);
/** @param earlier the payment note of a registration before it, which may have been paid */
export const registration = (id: string, earlier = '') =>
  address(`/register/${segment(id)}`, { earlier: earlier || undefined });
export const notifications = (id: string) => `/register/${segment(id)}/notifications`;

export const search = () => '/search';
export const network = () => '/network';
export const status = () => '/status';

export const docs = {
  overview: (heading = '') => docsPage('', heading),
  /** The reference of one area of the API. */
  area: (area: string, operation = '') => docsPage(`/${segment(area)}`, operation),
  /** @param code of an error; without one the page's beginning */
  errors: (code = '') => docsPage('/errors', code && `error-${code}`),
  operators: (heading = '') => docsPage('/operators', heading),
  identity: (heading = '') => docsPage('/identity', heading),
  statusPages: () => docsPage('/status-pages', ''),
  embed: () => docsPage('/embed', ''),
  privacy: () => docsPage('/privacy', ''),
};

export const api = {
  registry: () => '/api/registry',
  /** @param query what `queryString` of the directory's filters answers, as far as the API knows it */
  computes: (query = '') => `/api/registry/computes${query}`,
  /** @param at a step of the history, as the service wrote it; without one their list */
  places: (days: number, at?: string) =>
    `/api/mesh/history/places?days=${days}${at === undefined ? '' : `&at=${at}`}`,
  truth: () => '/api/truth',
  openapi: () => '/api/openapi.json',
  /** @param procedure such as `mesh.places`; without one the address below which all of them are */
  trpc: (procedure = '') => `/api/trpc${procedure && `/${procedure}`}`,
};
export const healthz = () => '/healthz';
export const readyz = () => '/readyz';
export const metrics = () => '/metrics';

export const review = {
  /** The queue. @param query `open`: a payment note; `index` addresses the queue's own action */
  queue: (query: { index?: ''; open?: string | undefined } = {}) => address('/review', query),
  registrations: (query: { status?: string } = {}) => address('/review/registrations', query),
  /** @param note its payment note */
  registration: (note: string) => `/review/registrations/${segment(note)}`,
  payments: (query: { tab?: string } = {}) => address('/review/payments', query),
  history: (query: { event?: string } = {}) => address('/review/history', query),
  historyCsv: () => '/review/history.csv',
  names: () => '/review/names',
  nodes: (query: { node?: string; removed?: string } = {}) => address('/review/nodes', query),
  bansJson: () => '/review/bans.json',
  reviewers: () => '/review/reviewers',
  account: () => '/review/account',
  secondFactor: () => '/review/account/second-factor',
  /** @param next the path that a sign-in leads to */
  signIn: (next?: string) => address('/review/sign-in', { next }),
  signInCode: (next: string) => address('/review/second-factor', { next }),
  signOut: () => '/review/sign-out',
};
