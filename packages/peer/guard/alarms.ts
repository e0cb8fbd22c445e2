import { join } from 'node:path';
import { z } from 'zod';
import { readJsonIfWhole, writeDurable } from '@mesh-registry/protocol/durable-file.ts';
import type { Alarm } from '../base/status.ts';

/** How many alarms are stored: more would prove nothing more. */
const ALARMS_MAX = 32;

const Stored = z.array(
  z.object({
    kind: z.enum(['truth_fork', 'log_fork', 'storage']),
    at: z.string(),
    detail: z.string(),
    /** What contradicts what is kept: the signed document or block, or what the disk has made of one, in base64. */
    evidence: z.string(),
  }),
);
type Stored = z.infer<typeof Stored>;

/**
 * Proofs that somebody with the network's keys has signed two histories, and of a disk that has changed what it stored.
 * They are kept until the operator removes them.
 */
export class Alarms {
  readonly #file: string;
  #alarms: Stored;

  constructor(directory: string) {
    this.#file = join(directory, 'alarms.json');
    this.#alarms = Stored.safeParse(readJsonIfWhole(this.#file)).data ?? [];
  }

  /**
   * Adds an alarm, without saving it.
   * @returns null if there are too many, or if this one is known, maybe with another proof: one proof can be turned into many
   */
  raise(kind: Alarm['kind'], detail: string, evidence: Uint8Array): Alarm | null {
    const known = this.#alarms.some((alarm) => alarm.kind === kind && alarm.detail === detail);
    if (known || this.#alarms.length >= ALARMS_MAX) return null;
    const alarm = { kind, at: new Date().toISOString(), detail };
    this.#alarms = [
      ...this.#alarms,
      { ...alarm, evidence: Buffer.from(evidence).toString('base64') },
    ];
    return alarm;
  }

  /** @throws what the file system throws */
  save(): void {
    writeDurable(this.#file, JSON.stringify(this.#alarms));
  }

  get status(): Alarm[] {
    return this.#alarms.map(({ kind, at, detail }) => ({ kind, at, detail }));
  }
}
