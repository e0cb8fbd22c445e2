/** What each table of the database holds, for how long, and who sees it. A test compares it with the schema. */
export interface StoredTable {
  table: string;
  what: string;
  fields: string[];
  kept: string;
  seenBy: string;
}

/** In every table that several servers follow: the version of the row, when and by which server process it was written. */
const ROW = ['rev', 'writtenAt', 'writtenBy'];

export const STORED: StoredTable[] = [
  {
    table: 'peers',
    what: 'The last heartbeat of each node. An earlier one is overwritten: there is no trail of places or times.',
    fields: [
      'id',
      'label',
      'class',
      'region',
      'status',
      'lat',
      'lng',
      'joinedAt',
      'lastSeen',
      ...ROW,
    ],
    kept: 'Until whoever runs the service removes it: a node that left stays on the map, as offline.',
    seenBy: 'Everybody. The place is already rounded here.',
  },
  {
    table: 'computes',
    what: 'The last announce of each compute.',
    fields: [
      'id',
      'nodeId',
      'name',
      'label',
      'image',
      'visibility',
      'class',
      'backend',
      'replicas',
      'freeSlots',
      'firstSeen',
      'lastSeen',
      ...ROW,
    ],
    kept: 'Until whoever runs the service removes it.',
    seenBy:
      'Everybody, once it is listed; before that only the host, in the answer to its announce. The visibility `private` says for whom the compute is meant. It hides nothing.',
  },
  {
    table: 'registrations',
    what: 'Each registration of a name.',
    fields: [
      'id',
      'name',
      'label',
      'class',
      'region',
      'nodeId',
      'kinds',
      'status',
      'paymentNote',
      'feeCents',
      'cashConfirm',
      'createdAt',
      'updatedAt',
      'expiresAt',
      'confirmedAt',
      'activatedAt',
      'decidedAt',
      'decidedBy',
      'rejectionReason',
      ...ROW,
    ],
    kept: 'For good: a registration is never deleted, so that a decision can be explained.',
    seenBy:
      'Of an active one everybody sees name, label, class, region, node id, kinds and when it was activated. Whoever holds the id sees the registration, but not `cashConfirm` and who decided. Reviewers see all.',
  },
  {
    table: 'name_claims',
    what: 'Which registration holds a name.',
    fields: ['name', 'registrationId', 'claimedAt'],
    kept: 'Until the registration is rejected.',
    seenBy: 'Nobody. Everybody can ask whether a name is free.',
  },
  {
    table: 'registration_history',
    what: 'Each change of a registration’s state: when, by whom, why.',
    fields: ['registrationId', 'rev', 'at', 'actor', 'fromStatus', 'toStatus', 'reason'],
    kept: 'For good.',
    seenBy: 'Reviewers.',
  },
  {
    table: 'reserved_names',
    what: 'Names that nobody may register.',
    fields: ['name', 'reason', 'addedBy', 'addedAt', 'expiresAt'],
    kept: 'Until a reviewer removes it.',
    seenBy: 'Reviewers. Everybody can ask whether a name is reserved.',
  },
  {
    table: 'idempotency_keys',
    what: 'The first answer to a start with an Idempotency-Key, under a hash of the key.',
    fields: ['keyHash', 'bodyHash', 'registrationId', 'answer', 'createdAt'],
    kept: 'One day.',
    seenBy: 'Whoever repeats the request with the same key and body.',
  },
  {
    table: 'status_minutes',
    what: 'How many checks of Genesis, heartbeats and announces each server process counted in each minute. It names no node.',
    fields: [
      'minute',
      'server',
      'checksOk',
      'checksFailed',
      'latencySumMs',
      'latencyMaxMs',
      'pings',
      'announces',
    ],
    kept: '25 hours.',
    seenBy: 'Everybody, added up, on the status page. `server` is random and is shown nowhere.',
  },
];
