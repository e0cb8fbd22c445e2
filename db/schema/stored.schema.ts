import type { Table } from 'drizzle-orm';
import { UNCLAIMED_KEPT_DAYS } from '@mesh-registry/protocol/values.schema.ts';
import type * as schema from './index.ts';

/** What the database stores, as the privacy page tells it. A table or a column that is missing here does not compile. */

type Schema = typeof schema;
type Tables = {
  [
    Export in keyof Schema as Schema[Export] extends Table ? Schema[Export]['_']['name'] : never
  ]: Schema[Export] extends Table ? Schema[Export] : never;
};
type TableName = keyof Tables;
type Column<Name extends TableName> = keyof Tables[Name]['_']['columns'] & string;

interface Stored<Field extends string> {
  /** What a row is, and what it is for. */
  what: string;
  /** Every column, in the order of the schema. */
  fields: readonly Field[];
  /** How long a row is kept. server/common/rooms.ts deletes what has a limit. */
  kept: string;
  seenBy: string;
}

/** Columns of tables that servers replicate: the version of the row, and when and by which process it was written. */
const ROW = ['rev', 'writtenAt', 'writtenBy'] as const;

/** Counts over all nodes and offers. */
const COUNTS = ['online', 'syncing', 'idle', 'offline', 'joined', 'left', 'freeSlots'] as const;

const STORED = {
  peers: {
    what: 'The last heartbeat of each node. It overwrites the one before: no history of locations names a node.',
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
    kept: 'Until the node was silent for NODE_RETENTION_DAYS (30 by default), or its operator removes it: at once by the signature of its key, else after a day without a heartbeat. A node with an active name stays.',
    seenBy: 'Everyone. The location is already rounded.',
  },
  computes: {
    what: 'The last announcement of each compute offer.',
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
    kept: 'As long as its node.',
    seenBy:
      'Everyone, once it is listed; before that only the host, in the response to its announcement. The visibility `private` states who the offer is for. It hides nothing.',
  },
  registrations: {
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
      'proofKey',
      'secretId',
      'earlierId',
    ],
    kept: `One that nobody reported as paid, for which no payment came and that no reviewer decided: ${UNCLAIMED_KEPT_DAYS} days after it was cancelled or its reservation expired. Others permanently, so that a decision can be explained later.`,
    seenBy:
      'Everyone sees the name, label, class, region, node ID, kinds and activation time of an active one. Anyone who has the ID sees the registration and whether it has a `cashConfirm`, but not the text, nor who decided. Reviewers see everything.',
  },
  name_claims: {
    what: 'Which registration a name belongs to.',
    fields: ['name', 'registrationId', 'claimedAt'],
    kept: 'Until the registration is rejected.',
    seenBy: 'Nobody. Anyone can check whether a name is available.',
  },
  registering_nodes: {
    what: 'The node while a registration of it is started or proved, or a key of it changes, so that two for one node wait for each other.',
    fields: ['nodeId'],
    kept: 'For the moment of the change.',
    seenBy: 'Nobody.',
  },
  registration_history: {
    what: 'Each change of a registration’s status: when, by whom and why.',
    fields: ['registrationId', 'rev', 'at', 'actor', 'fromStatus', 'toStatus', 'reason'],
    kept: 'As long as the registration.',
    seenBy:
      'Reviewers. Anyone who has the ID sees what happened and when, but not which reviewer acted.',
  },
  registration_questions: {
    what: 'What reviewers asked the operator of a registration.',
    fields: ['id', 'registrationId', 'rev', 'at', 'askedBy', 'text'],
    kept: 'As long as the registration.',
    seenBy: 'Reviewers. Anyone who has the ID sees the questions, but not which reviewer asked.',
  },
  registration_answers: {
    what: 'What the operator answered.',
    fields: ['registrationId', 'rev', 'questionId', 'at', 'text'],
    kept: 'As long as the registration.',
    seenBy: 'Reviewers, and anyone who has the ID.',
  },
  reserved_names: {
    what: 'Names that nobody can register.',
    fields: ['name', 'reason', 'addedBy', 'addedAt', 'expiresAt'],
    kept: 'Until a reviewer removes it.',
    seenBy: 'Reviewers. Anyone can check whether a name is reserved.',
  },
  idempotency_keys: {
    what: 'The first response to a start with an Idempotency-Key, under a hash of the key.',
    fields: ['keyHash', 'bodyHash', 'registrationId', 'answer', 'createdAt'],
    kept: 'One day.',
    seenBy: 'Anyone who repeats the request with the same key and body.',
  },
  status_minutes: {
    what: 'How many Genesis checks, heartbeats and announcements each server process counted in each minute. It names no node.',
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
    seenBy: 'Everyone, as totals on the status page. `server` is random and never shown.',
  },
  feed: {
    what: 'What each server process has just written to peers, computes, registrations, node_keys, former_keys, node_signers, blocked_nodes and hidden_nodes, so that the others show it too: its body has the rows, with the fields listed for those tables.',
    fields: ['server', 'n', 'at', 'source', 'body'],
    kept: '25 seconds; 11 minutes if the process ends first.',
    seenBy: 'The server processes only.',
  },
  notification_targets: {
    what: 'The webhook or ntfy address at which the holder of a registration wants to be notified, and of what. This is the only place where the service stores a URL that somebody sent.',
    fields: [
      'registrationId',
      'kind',
      'address',
      'secret',
      'enabled',
      'onDecision',
      'offlineMinutes',
      'onReturn',
      'updatedAt',
    ],
    kept: 'Until the holder removes it; at most a week after the registration has ended.',
    seenBy:
      'Nobody. Anyone who has the registration’s ID sees its host and the settings, and the secret once, when it is made. Reviewers see nothing of it, and it is in no log.',
  },
  notification_messages: {
    what: 'Messages to holders of registrations, and how their delivery ended. They contain names, node IDs, decisions and times.',
    fields: [
      'id',
      'registrationId',
      'event',
      'body',
      'createdAt',
      'attempts',
      'nextAttemptAt',
      'deliveredAt',
      'outcome',
    ],
    kept: '90 days, or until the holder removes the address.',
    seenBy:
      'The receiver. Anyone who has the registration’s ID sees what was sent when, and whether it arrived.',
  },
  outages: {
    what: 'When each node fell silent for five minutes or more, and when it was heard again.',
    fields: ['nodeId', 'offlineSince', 'measuredSince', 'backAt'],
    kept: '90 days after it ended.',
    seenBy: 'Everyone, as the feed of the node and of its names.',
  },
  outage_watch: {
    what: 'Which server process looks for outages at the moment.',
    fields: ['id', 'server', 'renewedAt', 'measuringSince'],
    kept: 'One row, permanently.',
    seenBy: 'The server processes only.',
  },
  log_head: {
    what: 'Where the public log of the registry ends, its newest blocks, and which server process writes it.',
    fields: ['id', 'height', 'blockId', 'frames', 'writer', 'leaseUntil', 'mustCompare'],
    kept: 'One row, permanently.',
    seenBy: 'The server processes only. The blocks are public.',
  },
  node_days: {
    what: 'In which quarters of an hour each node sent heartbeats and each compute offer was announced: 96 bits for each of them and day.',
    fields: ['day', 'node', 'bits'],
    kept: '90 days, or until the node is removed.',
    seenBy: 'Everyone, as the history of the node, and on the page of the offer’s name.',
  },
  history_quarters: {
    what: 'The network at the end of each quarter of an hour: nodes by status, how many joined and left, and free slots. It names no node.',
    fields: ['quarter', 'claimedBy', 'claimedAt', 'measured', ...COUNTS],
    kept: '90 days.',
    seenBy: 'Everyone, without the process that recorded it.',
  },
  history_days: {
    what: 'The same, added up for each day.',
    fields: ['day', 'quarters', ...COUNTS],
    kept: '366 days.',
    seenBy: 'Everyone.',
  },
  history_day_counts: {
    what: 'More numbers of each day, added up over its quarters of an hour: nodes by class and by region, compute offers, and active names. It names no node.',
    fields: ['day', 'name', 'sum'],
    kept: '366 days.',
    seenBy: 'Everyone.',
  },
  history_places: {
    what: 'How many nodes sent heartbeats at each place, in each quarter of an hour of the last day and in each day of the last 90 days. It names no node, but where a node is the only one at its place, the count shows when someone was there.',
    fields: ['stepSeconds', 'at', 'nodes', 'places', 'body'],
    kept: 'Quarters of an hour: 25 hours. Days: 91 days. A node that is removed or blocked stays in the counts until then.',
    seenBy: 'Everyone, as the replay on the map.',
  },
  service_periods: {
    what: 'From when to when each server process was up, so that its absence is not taken for that of nodes.',
    fields: ['server', 'since', 'until'],
    kept: 'Two hours.',
    seenBy: 'Nobody. `server` is random.',
  },
  payments: {
    what: 'Payments to the registry, from the payment app’s export. Nothing else of the export is stored: no names, no accounts.',
    fields: ['id', 'paidAt', 'amountCents', 'note', 'noteKey', 'reversedAt'],
    kept: 'Permanently.',
    seenBy: 'Reviewers.',
  },
  node_keys: {
    what: 'The public key to which a node’s ID is pinned, and since when. The private key never leaves the node.',
    fields: ['id', 'key', 'source', 'pinnedAt', ...ROW],
    kept: 'As long as the node, an active name of it, or a block of it; or until a reviewer resets it.',
    seenBy: 'Everyone.',
  },
  former_keys: {
    what: 'The public keys that a node had before: replaced by another, or revoked by a reviewer. A revoked key never speaks for the node again.',
    fields: ['id', 'nodeId', 'key', 'replacedAt', 'revokedAt', ...ROW],
    kept: 'A replaced one as long as the node’s key; a revoked one permanently: a stolen key must not work again later.',
    seenBy: 'Everyone sees which keys were revoked. Reviewers see the others too.',
  },
  node_signers: {
    what: 'Which public key has signed the last heartbeat of a node, and its last announcement: since when, when last, when one was unsigned, and fingerprints of the nonces of that second, so that no signature counts twice. Nothing is stored of a node that does not sign.',
    fields: [
      'id',
      'key',
      'since',
      'signedAt',
      'unsignedAt',
      'created',
      'nonces',
      'formerKey',
      'formerCreated',
      ...ROW,
    ],
    kept: 'As long as the node, and for 15 minutes after its last signature.',
    seenBy:
      'The operator of a registration for the node, and reviewers, see which key signs and since when.',
  },
  spent_signatures: {
    what: 'Digests of signatures that have proved a registration, replaced a key or removed a node, so that none counts twice.',
    fields: ['id', 'use', 'spentAt'],
    kept: '15 minutes.',
    seenBy: 'Nobody.',
  },
  blocked_nodes: {
    what: 'Nodes whose heartbeats and announcements are rejected, with who blocked them and why.',
    fields: ['id', 'reason', 'blockedBy', 'blockedAt', 'liftedAt', ...ROW],
    kept: 'Permanently.',
    seenBy:
      'Reviewers. The node’s page and the responses to its reports say that it is blocked, but not why.',
  },
  hidden_nodes: {
    what: 'Nodes that were removed by the network’s secret, without the signature of their key, and since when they are hidden.',
    fields: ['id', 'hiddenAt', ...ROW],
    kept: 'A day. By then the node is removed with its history, or sends a heartbeat again.',
    seenBy: 'Everyone, on the node’s page, while it is hidden.',
  },
  review_takes: {
    what: 'Which reviewer has which registration open.',
    fields: ['registrationId', 'reviewer', 'renewedAt'],
    kept: 'Until it is closed, or for ten minutes without activity.',
    seenBy: 'Reviewers.',
  },
  review_work: {
    what: 'Which reviewer sees to a registration, and what a reviewer remarked on it.',
    fields: ['registrationId', 'assignee', 'remark', 'remarkBy', 'remarkAt'],
    kept: 'As long as the registration.',
    seenBy: 'Reviewers.',
  },
  review_decisions: {
    what: 'A reviewer’s decision, during the seconds in which it can be undone.',
    fields: ['registrationId', 'reviewer', 'decision', 'reason', 'rev', 'madeAt', 'effectiveAt'],
    kept: 'Seconds.',
    seenBy: 'Reviewers.',
  },
  review_actions: {
    what: 'What reviewers did besides deciding: reserved names, blocked and removed nodes, payment imports, remarks, who sees to a registration, accounts.',
    fields: ['id', 'at', 'actor', 'action', 'subject', 'reason'],
    kept: 'Permanently.',
    seenBy: 'Reviewers.',
  },
  webhook_messages: {
    what: 'Messages to the reviewers’ webhook that haven’t been delivered yet. They contain names and statuses, never a registration’s ID.',
    fields: ['id', 'body', 'createdAt', 'attempts', 'nextAttemptAt'],
    kept: 'Until delivered; at most eight days.',
    seenBy: 'The receiver of the webhook.',
  },
  reviewers: {
    what: 'Accounts of reviewers. Operators and visitors have none.',
    fields: [
      'id',
      'name',
      'email',
      'emailVerified',
      'role',
      'deactivatedAt',
      'twoFactorEnabled',
      'lastSignInAt',
      'createdAt',
      'updatedAt',
    ],
    kept: 'Permanently: the history names reviewers by their address.',
    seenBy: 'Reviewers.',
  },
  reviewer_sessions: {
    what: 'Where a reviewer is signed in: the browser’s name (“Firefox on Linux”), no address.',
    fields: ['id', 'token', 'userId', 'userAgent', 'expiresAt', 'createdAt', 'updatedAt'],
    kept: 'Until it ends; at most 14 days.',
    seenBy: 'The reviewer.',
  },
  reviewer_accounts: {
    what: 'The password of each reviewer, as a salted hash.',
    fields: ['id', 'accountId', 'providerId', 'userId', 'password', 'createdAt', 'updatedAt'],
    kept: 'As long as the account.',
    seenBy: 'Nobody.',
  },
  reviewer_two_factors: {
    what: 'The second factor of a reviewer and its recovery codes, encrypted.',
    fields: [
      'id',
      'secret',
      'backupCodes',
      'userId',
      'verified',
      'failedVerificationCount',
      'lockedUntil',
    ],
    kept: 'Until the reviewer turns it off.',
    seenBy: 'The reviewer, once, when it is set up.',
  },
  reviewer_used_codes: {
    what: 'Second-factor codes that were used, so that none works twice.',
    fields: ['userId', 'code', 'usedAt'],
    kept: 'Two minutes.',
    seenBy: 'Nobody.',
  },
  reviewer_verifications: {
    what: 'A sign-in that waits for its second factor.',
    fields: ['id', 'identifier', 'value', 'expiresAt', 'createdAt', 'updatedAt'],
    kept: 'Minutes.',
    seenBy: 'Nobody.',
  },
  reviewer_invitations: {
    what: 'Single-use links that create an account, as a hash.',
    fields: ['tokenHash', 'email', 'role', 'invitedBy', 'createdAt', 'expiresAt'],
    kept: 'Until used, or for a week.',
    seenBy: 'Administrators, without the link.',
  },
} as const satisfies { [Name in TableName]: Stored<Column<Name>> };

type Named = typeof STORED;
/** Columns that their table's entry does not name. */
type Missing = {
  [Name in TableName]: Exclude<Column<Name>, Named[Name]['fields'][number]>;
}[TableName];

export interface StoredTable extends Stored<string> {
  table: string;
}

/** All tables. If a column is missing, its name is the type, and the compiler says it. */
export const STORED_TABLES: [Missing] extends [never] ? readonly StoredTable[] : Missing =
  Object.entries(STORED).map(([table, stored]) => ({ table, ...stored }));
