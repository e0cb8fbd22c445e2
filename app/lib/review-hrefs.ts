import { address, segment } from './address.ts';

/** Addresses of the dashboard, as `hrefs.review`: in a file of their own, which only its pages load. */

/** The queue. @param query `open`: a payment note; `index` addresses the queue's own action */
export const queue = (query: { index?: ''; open?: string | undefined } = {}) =>
  address('/review', query);
export const registrations = (query: { status?: string } = {}) =>
  address('/review/registrations', query);
/** @param note its payment note */
export const registration = (note: string) => `/review/registrations/${segment(note)}`;
export const payments = (query: { tab?: string } = {}) => address('/review/payments', query);
export const history = (query: { event?: string } = {}) => address('/review/history', query);
export const historyCsv = () => '/review/history.csv';
export const names = () => '/review/names';
export const nodes = (query: { node?: string; removed?: string } = {}) =>
  address('/review/nodes', query);
export const bansJson = () => '/review/bans.json';
export const reviewers = () => '/review/reviewers';
export const account = () => '/review/account';
export const secondFactor = () => '/review/account/second-factor';
export const signOut = () => '/review/sign-out';
export const signInCode = (next: string) => address('/review/second-factor', { next });
