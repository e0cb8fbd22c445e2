import { address, segment, type Query } from './address.ts';
import type { TermId } from './glossary.ts';

/**
 * Every address that pages link to or redirect to, as a path from the root. Segments and parameters are encoded here
 * and nowhere else. The state of a page with filters is written beside the function that reads it, in its
 * `*.schema.ts` (`meshHref`, `searchHref` and so on), because the service needs both.
 */

/** A page of the documentation, at one of its headings or from its beginning. */
const docsPage = (page: string, heading: string) => `/docs${page}${heading && `#${heading}`}`;

export const map = (query: Query = {}) => address('/', query);
export const node = (id: string) => `/nodes/${segment(id)}`;
/** The node with all of its outages listed. */
export const nodeOutages = (id: string) => address(`/nodes/${segment(id)}`, { outages: 'all' });
export const nodeFeed = (id: string) => `/nodes/${segment(id)}/feed.atom`;
/** The list of the map as a file. @param query what `nodesSearch` answers */
export const nodesCsv = (query = '') => `/nodes.csv${query}`;
export const embed = () => '/embed';

/** @param query what `queryString` of the directory's filters answers */
export const computes = (query = '') => `/computes${query}`;
/** Offers beside each other. @param query what `compareString` answers */
export const compare = (query = '') => `/computes/compare${query}`;
export const computesCsv = (query = '') => `/computes.csv${query}`;
export const computesJson = (query = '') => `/computes.json${query}`;

export const registry = (query: Query = {}) => address('/registry', query);
export const newNamesFeed = () => '/registry/feed.atom';
export const name = (name: string) => `/registry/${segment(name)}`;
/** The name with its whole history. */
export const nameHistory = (name: string) =>
  address(`/registry/${segment(name)}`, { outages: 'all' });
export const nameFeed = (name: string) => `/registry/${segment(name)}/feed.atom`;
export const badge = (name: string) => `/registry/${segment(name)}/badge.svg`;
/** The picture that other sites show beside a link to the name. */
export const card = (name: string) => `/registry/${segment(name)}/card.png`;

/** @param answers of the wizard that are known already */
export const register = (answers: { name?: string; node?: string } = {}) =>
  address('/register', answers);
/** The wizard with a node, and with the first of its offers whose name is free. */
export const registerNode = (id: string) => address('/register', { node: id, offer: '1' });
/** @param earlier the payment note of a registration before it, which may have been paid */
export const registration = (id: string, earlier = '') =>
  address(`/register/${segment(id)}`, { earlier: earlier || undefined });
/** The page of a registration that was started just now: its link is not saved yet. */
export const startedRegistration = (id: string, earlier = '') =>
  address(`/register/${segment(id)}`, { earlier: earlier || undefined, job: 'save' });
export const notifications = (id: string) => `/register/${segment(id)}/notifications`;

/** All days of {@link trends}. The page's own choices are written by `trendsHref`. */
export const trendsCsv = () => '/trends.csv';
export const trends = () => '/trends';

export const search = () => '/search';
export const network = () => '/network';
export const status = () => '/status';

export const docs = {
  home: () => docsPage('', ''),
  glossary: (term: TermId) => docsPage('', `glossary-${term}`),
  rest: (heading = '') => docsPage('/rest', heading),
  trpc: () => docsPage('/trpc', ''),
  /** The reference of one area of the API. */
  area: (area: string, operation = '') => docsPage(`/${segment(area)}`, operation),
  /** @param code of an error; without one the page's beginning */
  errors: (code = '') => docsPage('/errors', code && `error-${code}`),
  operators: (heading = '') => docsPage('/operators', heading),
  identity: (heading = '') => docsPage('/identity', heading),
  statusPages: (heading = '') => docsPage('/status-pages', heading),
  embed: (heading = '') => docsPage('/embed', heading),
  privacy: () => docsPage('/privacy', ''),
};

export const api = {
  registry: () => '/api/registry',
  /** @param query what `queryString` of the directory's filters answers, as far as the API knows it */
  computes: (query = '') => `/api/registry/computes${query}`,
  /** The network over so many days. */
  history: (days: number) => `/api/mesh/history?days=${days}`,
  /** @param at a step of the history, as the service wrote it; without one their list */
  places: (days: number, at?: string) =>
    `/api/mesh/history/places?days=${days}${at === undefined ? '' : `&at=${at}`}`,
  nodeKey: (id: string) => `/api/mesh/nodes/${segment(id)}/key`,
  truth: () => '/api/truth',
  openapi: () => '/api/openapi.json',
  /** @param procedure such as `mesh.places`; without one the address below which all of them are */
  trpc: (procedure = '') => `/api/trpc${procedure && `/${procedure}`}`,
};
export const healthz = () => '/healthz';
export const readyz = () => '/readyz';
export const metrics = () => '/metrics';

/** The dashboard, as all pages link to it. */
export const dashboard = () => '/review';
/** @param next the path that a sign-in leads to */
export const signIn = (next?: string) => address('/review/sign-in', { next });

export * as review from './review-hrefs.ts';
