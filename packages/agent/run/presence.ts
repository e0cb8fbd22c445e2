import type { PingAnswer } from '@mesh-registry/client/index.ts';
import type { Journal } from './journal.ts';
import { describePlace } from './messages.ts';
import type { Published } from './status.ts';

/** What the map shows of the node, and what is told when it is on the map. */
export class Presence {
  #published: Published | null = null;

  constructor(
    private readonly journal: Journal,
    private readonly configFile: string,
  ) {}

  /** Null: no heartbeat has been accepted yet. */
  get published(): Published | null {
    return this.#published;
  }

  /** @param wasKnown the service has accepted heartbeats of this node before */
  onAnswer(answer: PingAnswer, wasKnown: boolean): void {
    const { journal } = this;
    const { label, class: size, region, status, lat, lng } = answer.peer;
    const isFirst = this.#published === null;
    this.#published = { label, class: size, region, status, lat, lng };
    if (answer.isNew && wasKnown)
      journal.warn(
        'node_forgotten',
        'The service did not know this node any more: it was restored from a back-up, or the node was removed. It is on the map again.',
      );
    if (!isFirst) return;
    journal.info('on_the_map', describePlace(answer), { peer: answer.peer });
    if (answer.dropped.includes('label'))
      journal.warn(
        'label_dropped',
        `The service does not publish the label: it looks like an address, or nothing is left of it without markup. Change node.label in ${this.configFile}.`,
      );
  }
}
