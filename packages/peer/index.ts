import './base/polyfill.ts';

export { Peer } from './peer.ts';
export type { PeerOptions } from './peer-options.ts';
