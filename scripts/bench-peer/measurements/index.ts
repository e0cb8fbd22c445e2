import { killedGenesis, killedPeer } from './kills.ts';
import { meeting } from './meeting.ts';
import type { Measurement } from './measurement.ts';
import { ban, block, truth } from './news.ts';
import { replication } from './replication.ts';
import { idle, memory } from './resources.ts';

/** In their order: idle before there is much in memory, memory when all has gone through. */
export const MEASUREMENTS: readonly Measurement[] = [
  meeting,
  idle,
  truth,
  ban,
  replication,
  block,
  memory,
  killedPeer,
  killedGenesis,
];
