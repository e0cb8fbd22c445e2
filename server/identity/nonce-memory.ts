import { hash } from 'node:crypto';
import { SIGNATURE_MAX_SKEW_S } from '@mesh-registry/protocol/keys/node-key.schema.ts';

/** What identifies a nonce: 64 bits of a digest. */
export interface Fingerprint {
  high: number;
  low: number;
}

/** @param parts what makes the nonce unique, such as the key it was signed by */
export function fingerprintOf(...parts: string[]): Fingerprint {
  const digest = hash('sha256', parts.join(' '), 'buffer');
  return { high: digest.readUInt32LE(0), low: digest.readUInt32LE(4) };
}

const MINUTE_S = 60;
/** Minutes for which nonces are kept beyond the time in which they are accepted: the clock may be set back. */
const SPARE_MINUTES = 2;
/** Nonces of one minute at most: some 6,500 a second. */
const MAX_PER_MINUTE = 393_216;

/**
 * The nonces that have been used, as long as their signatures could be accepted. By the minute in which they were
 * signed, because a replay names the same moment: one look-up, and whole minutes are forgotten at once. A nonce takes
 * 11 to 21 bytes: 3,000 a second take 15 to 25 MB in all.
 */
export class NonceMemory {
  readonly #minutes = new Map<number, FingerprintSet>();
  #latest = -Infinity;

  /** @param maxPerMinute for tests */
  constructor(private readonly maxPerMinute = MAX_PER_MINUTE) {}

  /** How many are kept. */
  get size(): number {
    let size = 0;
    for (const minute of this.#minutes.values()) size += minute.size;
    return size;
  }

  has(nonce: Fingerprint, created: number): boolean {
    return this.#minutes.get(minuteOf(created))?.has(nonce) ?? false;
  }

  /**
   * Remembers a nonce.
   * @param created when it was signed, seconds
   * @param now seconds
   * @returns `full`: it is not remembered, so the request must not be accepted
   */
  add(nonce: Fingerprint, created: number, now: number): 'added' | 'known' | 'full' {
    this.#forget(now);
    const at = minuteOf(created);
    let minute = this.#minutes.get(at);
    if (!minute) this.#minutes.set(at, (minute = new FingerprintSet()));
    if (minute.has(nonce)) return 'known';
    if (minute.size >= this.maxPerMinute) return 'full';
    minute.add(nonce);
    return 'added';
  }

  #forget(now: number): void {
    const current = minuteOf(now);
    if (current <= this.#latest) return;
    this.#latest = current;
    const oldest = minuteOf(now - SIGNATURE_MAX_SKEW_S) - SPARE_MINUTES;
    for (const minute of this.#minutes.keys()) if (minute < oldest) this.#minutes.delete(minute);
  }
}

const minuteOf = (seconds: number) => Math.floor(seconds / MINUTE_S);

/** Nobody outside can choose nonces that end up in the same slots. */
const SLOT_KEYS = crypto.getRandomValues(new Uint32Array(2));

/** A set of fingerprints by open addressing, at most three quarters full. */
class FingerprintSet {
  #slots = new Uint32Array(2 * 1024);
  size = 0;

  has(fingerprint: Fingerprint): boolean {
    return this.#find(fingerprint).taken;
  }

  /** Adds one that it does not have. */
  add(fingerprint: Fingerprint): void {
    if (this.size * 8 >= this.#slots.length * 3) this.#grow();
    const { high, low } = fingerprint;
    const { at } = this.#find(fingerprint);
    this.#slots[at] = high;
    // A free slot is zero.
    this.#slots[at + 1] = low || 1;
    this.size++;
  }

  #find({ high, low }: Fingerprint): { at: number; taken: boolean } {
    const slots = this.#slots;
    const mask = slots.length / 2 - 1;
    const [first = 0, second = 0] = SLOT_KEYS;
    let slot = Math.imul((high ^ first) + Math.imul(low ^ second, 0x9e3779b1), 0x85ebca6b) >>> 8;
    for (;;) {
      const at = 2 * (slot & mask);
      if (slots[at + 1] === 0) return { at, taken: false };
      if (slots[at] === high && slots[at + 1] === (low || 1)) return { at, taken: true };
      slot++;
    }
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(2 * before.length);
    this.size = 0;
    for (let at = 0; at < before.length; at += 2)
      if (before[at + 1] !== 0) this.add({ high: before[at] ?? 0, low: before[at + 1] ?? 0 });
  }
}
