import {
  NEXT_PING_MS,
  OFFLINE_AFTER_MS,
  OUTAGE_AFTER_MS,
  type NodeClass,
} from '@mesh-registry/protocol/values.schema.ts';

/**
 * What the words of this service mean, for people who have never seen it: the glossary of the documentation, and what a
 * word says where it stands. By the end of its anchor, `#glossary-<id>`.
 */

export interface GlossaryEntry {
  term: string;
  meaning: string;
}

const CLASSES: Record<NodeClass, string> = {
  S: 'small',
  M: 'medium',
  L: 'large',
};

const entries = {
  node: {
    term: 'Node',
    meaning: 'A machine that sends heartbeats to this map.',
  },
  heartbeat: {
    term: 'Heartbeat',
    meaning: `A node’s report, every ${NEXT_PING_MS / 1000} seconds. After ${OFFLINE_AFTER_MS / 1000} seconds without one, the node is offline.`,
  },
  outage: {
    term: 'Outage',
    meaning: `${OUTAGE_AFTER_MS / 60_000} minutes or more without a heartbeat, from the last one to the next. Uptime is the share of quarters of an hour with a heartbeat; quarters in which this service was down don’t count.`,
  },
  syncing: {
    term: 'Syncing',
    meaning: 'The node is up and catching up with the network, as its software reports.',
  },
  idle: {
    term: 'Idle',
    meaning: 'The node is up but taking no work, as its software reports.',
  },
  class: {
    term: 'Class',
    meaning: `How large the machine is: ${Object.entries(CLASSES)
      .map(([size, word]) => `${size} ${word}`)
      .join(', ')}. Its operator chooses it; it isn’t measured.`,
  },
  region: {
    term: 'Region',
    meaning:
      'A code for a part of the world, such as EU. If a node sends none, it is derived from its rounded location. ZZ means unknown.',
  },
  genesis: {
    term: 'Genesis',
    meaning: 'The peer through which new nodes find the others.',
  },
  phase: {
    term: 'Phase',
    meaning: 'The stage of the network’s rollout, set by its operator.',
  },
  offer: {
    term: 'Compute offer',
    meaning: 'An image that a node runs for others, with its free slots.',
  },
  slot: {
    term: 'Slot',
    meaning: 'Room for one more job at a compute offer. The node reports how many are free.',
  },
  replica: {
    term: 'Replica',
    meaning: 'One running copy of an offer’s image.',
  },
  backend: {
    term: 'Backend',
    meaning: 'What runs the image, such as docker.',
  },
  public: {
    term: 'Public',
    meaning: 'An offer that its operator says anyone may ask to use.',
  },
  private: {
    term: 'Private',
    meaning:
      'An offer that isn’t for everyone: ask its operator first. It is still listed here, and it is the default.',
  },
  name: {
    term: 'Name',
    meaning: 'A registered name of a node, of a compute offer, or of both.',
  },
  settings: {
    term: 'Network settings',
    meaning: 'Signed by the network’s keys and checked by every node: who may sign, who is banned.',
  },
} satisfies Record<string, GlossaryEntry>;

/** A word that is explained. */
export type TermId = keyof typeof entries;

export const GLOSSARY: Record<TermId, GlossaryEntry> = entries;
