import { putNewest } from '../base/collections.ts';
import { LIMITS } from '../base/limits.ts';
import { SharedBucket, TokenBucket } from '../base/token-bucket.ts';

/** Hosts that are remembered; one that is connected keeps its budget all the same. */
const HOSTS_MAX = 5000;

/** What the peers of one host may do together, however many keys they have and however often they come back. */
export interface HostBudget {
  messages: SharedBucket;
  records: SharedBucket;
  requests: SharedBucket;
}

/**
 * The budgets of hosts: as much as half of the sessions have that a host may have. Whoever is over them waits, and is not
 * punished: it may be the neighbour of the one who used them up.
 */
export class HostBudgets {
  readonly #budgets = new Map<string, HostBudget>();

  /** @param sessions how many a host may have */
  constructor(private readonly sessions: number) {}

  /** @param host from `hostOf` */
  of(host: string): HostBudget {
    const budget = this.#budgets.get(host) ?? budgetOf(Math.max(1, this.sessions / 2));
    putNewest(this.#budgets, host, budget, HOSTS_MAX);
    return budget;
  }
}

function budgetOf(sessions: number): HostBudget {
  const bucket = (perSecond: number, burst: number) =>
    new SharedBucket(new TokenBucket(sessions * perSecond, sessions * burst));
  return {
    messages: bucket(LIMITS.messagesPerSecond, LIMITS.messagesBurst),
    records: bucket(LIMITS.recordsPerSecond, LIMITS.recordsBurst),
    requests: bucket(LIMITS.requestsPerSecond, LIMITS.requestsBurst),
  };
}
