import { follow, type Followed, type FollowOptions, type Streams } from './follow.ts';
import { poll, type PollOptions } from './poll.ts';
import { Transport, type Call, type ClientOptions, type RequestOptions } from './request.ts';
import type { Result } from './result.ts';
import type {
  Announce,
  AnnounceAnswer,
  AnswerQuestion,
  Availability,
  Cancel,
  Computes,
  Confirm,
  DryPingAnswer,
  HiddenNode,
  KeyRotation,
  Mesh,
  NetworkHistory,
  NodeKeyAnswer,
  NodeHistory,
  NodeRegistrations,
  Ping,
  PingAnswer,
  PingDescription,
  PlaceHistory,
  PlacesAtStep,
  PublishedTruth,
  RegisterInfo,
  Registration,
  Registry,
  Start,
} from './schemas.ts';

export type { Followed, FollowOptions, StreamEvent, Streams } from './follow.ts';
export type { PollOptions } from './poll.ts';
export type { ClientOptions, RequestOptions } from './request.ts';
export { unwrap } from './result.ts';
export type { Failure, Problem, Result, Success } from './result.ts';
export type * from './schemas.ts';

/** A typed client of the Mesh Registry’s REST interface and event streams, for Node, Deno, Bun and browsers. */

export type HistoryDays = 1 | 7 | 30 | 90;

export interface ComputesFilter {
  /** Only offers with free slots, heard of lately. */
  available?: boolean;
  visibility?: 'public' | 'private' | 'all';
}

/** What {@link MeshRegistry.poll} can poll. */
export interface Lists {
  mesh: Mesh;
  computes: Computes;
  registry: Registry;
}

const LISTS = {
  mesh: 'api/mesh',
  computes: 'api/registry/computes',
  registry: 'api/registry',
} satisfies Record<keyof Lists, string>;

const REGISTER = 'api/registry/register';

const nodePath = (id: string) => `api/mesh/nodes/${encodeURIComponent(id)}`;

/**
 * The REST interface of a Mesh Registry, a method for each call. No method throws or rejects: each resolves
 * with a {@link Result}.
 *
 * @example
 * const registry = new MeshRegistry({ url: 'https://mesh.example.org' });
 * const mesh = await registry.mesh();
 * if (mesh.ok) console.log(mesh.value.stats.online);
 * else console.error(mesh.problem.message);
 */
export class MeshRegistry {
  readonly #transport: Transport;

  /** @throws TypeError if `url` is no http(s) address */
  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
  }

  /** All nodes at one moment, with the health of Genesis. */
  mesh(options?: RequestOptions): Promise<Result<Mesh>> {
    return this.#list(LISTS.mesh, {}, options);
  }

  /** The listed compute offers that match. */
  computes(filter: ComputesFilter = {}, options?: RequestOptions): Promise<Result<Computes>> {
    return this.#list(LISTS.computes, { ...filter }, options);
  }

  /** All active names. */
  registry(options?: RequestOptions): Promise<Result<Registry>> {
    return this.#list(LISTS.registry, {}, options);
  }

  /** Nodes by status, arrivals, departures and capacity over the last days. */
  history(days: HistoryDays = 1, options?: RequestOptions): Promise<Result<NetworkHistory>> {
    return this.#get('api/mesh/history', { days }, options);
  }

  /** When one node was heard of, and its uptime. */
  nodeHistory(
    node: string,
    days: HistoryDays = 1,
    options?: RequestOptions,
  ): Promise<Result<NodeHistory>> {
    return this.#get('api/mesh/history', { node, days }, options);
  }

  /** How many nodes were heard of, at how many places, in each quarter of an hour of a day or each of 90 days. */
  placeHistory(days: 1 | 90 = 1, options?: RequestOptions): Promise<Result<PlaceHistory>> {
    return this.#list('api/mesh/history/places', { days }, options);
  }

  /** Where they were. @param at the start of a step of `placeHistory`, ISO 8601 */
  placesAt(days: 1 | 90, at: string, options?: RequestOptions): Promise<Result<PlacesAtStep>> {
    return this.#list('api/mesh/history/places', { days, at }, options);
  }

  /** What a heartbeat may hold, for machines. */
  describePing(options?: RequestOptions): Promise<Result<PingDescription>> {
    return this.#get('api/mesh/ping', {}, options);
  }

  /**
   * A node’s heartbeat. The answer says when the next one is due.
   * @param options.dryRun check everything and store nothing
   */
  ping(body: Ping, options: RequestOptions & { dryRun: true }): Promise<Result<DryPingAnswer>>;
  ping(
    body: Ping,
    options?: RequestOptions & { dryRun?: false | undefined },
  ): Promise<Result<PingAnswer>>;
  ping(
    body: Ping,
    { dryRun, ...options }: RequestOptions & { dryRun?: boolean | undefined } = {},
  ): Promise<Result<PingAnswer | DryPingAnswer>> {
    const query = dryRun ? { dry: 1 } : {};
    return this.#send('POST', 'api/mesh/ping', { query, body, credentials: true }, options);
  }

  /** A node’s compute offers: either all are stored, or none. */
  announce(body: Announce, options?: RequestOptions): Promise<Result<AnnounceAnswer>> {
    return this.#send('POST', LISTS.computes, { body, credentials: true }, options);
  }

  /**
   * Removes a node with its offers and its history. Stop it first, or it comes back. With the signature of the key to
   * which it is pinned, it is removed for good, and the value is null. A node that is pinned to none is hidden, and
   * removed after a day of silence.
   */
  removeNode(id: string, options?: RequestOptions): Promise<Result<HiddenNode | null>> {
    return this.#send('DELETE', nodePath(id), { credentials: true }, options);
  }

  /** The key to which a node’s id is pinned; null: none. */
  nodeKey(id: string, options?: RequestOptions): Promise<Result<NodeKeyAnswer>> {
    return this.#get(`${nodePath(id)}/key`, {}, options);
  }

  /**
   * Replaces the key of a node. `authorize` signs the request by the old key. Where the outcome is unknown,
   * {@link nodeKey} tells.
   * @param body the new key, with the proof that it has signed
   */
  rotateKey(
    id: string,
    body: KeyRotation,
    options?: RequestOptions,
  ): Promise<Result<NodeKeyAnswer>> {
    return this.#send('PUT', `${nodePath(id)}/key`, { body, credentials: true }, options);
  }

  /** The network’s signed root and truth. Check them from a root that you trust: the service is not to be believed. */
  truth(options?: RequestOptions): Promise<Result<PublishedTruth>> {
    return this.#get('api/truth', {}, options);
  }

  /** Fee, payee, rules and the active names. */
  registerInfo(options?: RequestOptions): Promise<Result<RegisterInfo>> {
    return this.#list(REGISTER, {}, options);
  }

  /** Whether a name can be registered at this moment. */
  availability(name: string, options?: RequestOptions): Promise<Result<Availability>> {
    return this.#get(REGISTER, { name }, options);
  }

  /** A registration, by the id that only its operator has. */
  registration(id: string, options?: RequestOptions): Promise<Result<Registration>> {
    return this.#get(REGISTER, { id }, options);
  }

  /**
   * Starts a registration, which then waits for its payment.
   * @param options.idempotencyKey the same one gets the same registration for a day; without one, each call
   *   has its own, so that its retries start nothing twice
   */
  start(
    body: Omit<Start, 'action'>,
    {
      idempotencyKey = crypto.randomUUID(),
      ...options
    }: RequestOptions & { idempotencyKey?: string } = {},
  ): Promise<Result<Registration>> {
    const headers = { 'idempotency-key': idempotencyKey };
    return this.#send('POST', REGISTER, { body: { action: 'start', ...body }, headers }, options);
  }

  /** Says that a registration has been paid: it then waits for a reviewer. */
  confirm(body: Omit<Confirm, 'action'>, options?: RequestOptions): Promise<Result<Registration>> {
    return this.#send('POST', REGISTER, { body: { action: 'confirm', ...body } }, options);
  }

  /**
   * Ends a registration, or releases an active name: it is free at once.
   * @param options.proof needed once the payment is reported, if the node’s key has proved the registration
   */
  cancel(
    id: string,
    { proof, ...options }: RequestOptions & Pick<Cancel, 'proof'> = {},
  ): Promise<Result<Registration>> {
    const body = { action: 'cancel', id, ...(proof && { proof }) };
    return this.#send('POST', REGISTER, { body }, options);
  }

  /** Answers a question that a reviewer has asked about a registration. The same text again is the same answer. */
  answer(
    body: Omit<AnswerQuestion, 'action'>,
    options?: RequestOptions,
  ): Promise<Result<Registration>> {
    return this.#send('POST', REGISTER, { body: { action: 'answer', ...body } }, options);
  }

  /** The registrations of a node that its key has proved. `authorize` has to sign. */
  registrationsOf(nodeId: string, options?: RequestOptions): Promise<Result<NodeRegistrations>> {
    return this.#send('GET', `${nodePath(nodeId)}/registrations`, { signed: true }, options);
  }

  /** Proves a registration that was started without the node’s key. `authorize` has to sign. */
  claim(nodeId: string, id: string, options?: RequestOptions): Promise<Result<Registration>> {
    const path = `${nodePath(nodeId)}/registrations`;
    return this.#send('POST', path, { body: { id }, signed: true }, options);
  }

  /**
   * A list now, and again whenever it has changed. A list that has not costs some hundred bytes a request. A
   * problem is yielded once, and polling goes on, more slowly; `break`, or the signal, ends it.
   *
   * @example
   * for await (const list of registry.poll('computes', { everyMs: 5_000 }))
   *   if (list.ok) show(list.value.computes);
   */
  poll<Name extends keyof Lists>(
    list: Name,
    options: PollOptions & { filter?: Name extends 'computes' ? ComputesFilter : never } = {},
  ): AsyncGenerator<Result<Lists[Name]>, void, undefined> {
    const { filter, ...rest } = options;
    return poll<Lists[Name]>(this.#transport, LISTS[list], { ...filter }, rest);
  }

  /**
   * The event stream of a list: a snapshot, then only the rows that changed, at most once a second. After a lost
   * connection it resumes where it was; a problem is yielded once; `break`, or the signal, ends it.
   */
  follow<Name extends keyof Streams>(
    stream: Name,
    options: FollowOptions = {},
  ): AsyncGenerator<Followed<Name>, void, undefined> {
    return follow(this.#transport, stream, options);
  }

  #get<Value>(path: string, query: Call['query'], options?: RequestOptions) {
    return this.#send<Value>('GET', path, { query }, options);
  }

  /** What grows with the network. */
  #list<Value>(path: string, query: Call['query'], options?: RequestOptions) {
    return this.#send<Value>('GET', path, { query, isList: true }, options);
  }

  #send<Value>(
    method: Call['method'],
    path: string,
    call: Partial<Call>,
    options?: RequestOptions,
  ): Promise<Result<Value>> {
    return this.#transport.send({ ...options, ...call, method, path });
  }
}
