import { createPrivateKey } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Journal } from '@mesh-registry/agent/run/journal.ts';
import { Inputs } from '@mesh-registry/agent/peer/inputs.ts';
import { createPeer, type Peer, type PeerOptions } from '@mesh-registry/peer/peer.ts';
import type { PeerStatus } from '@mesh-registry/peer/base/status.ts';
import { answerCalls } from '../calls.ts';
import { moment, Progress, type Target } from './progress.ts';

/** A process with one or more peers, which does what the bench asks for in messages. Built as the agent is. */

export interface StartOptions extends Omit<PeerOptions, 'key' | 'onEvent'> {
  /** PEM. */
  key: string;
  /** What a Genesis host brings into the network. */
  inputs: { truth_file?: string; log?: string };
}

/** Something that must not happen. */
export interface Fault {
  fault: string;
}

interface Running {
  peer: Peer;
  progress: Progress;
  inputs: Inputs;
}
const running = new Map<string, Running>();

function find(id: string): Running {
  const found = running.get(id);
  if (!found) throw new Error(`Peer ${id} is not running here.`);
  return found;
}

const loop = monitorEventLoopDelay();

const functions = {
  ready(): void {},
  async start(id: string, { key, inputs, ...options }: StartOptions): Promise<void> {
    const progress = new Progress();
    const peer = await createPeer({
      ...options,
      key: createPrivateKey(key),
      onEvent(event) {
        if (event.kind === 'fault') send({ fault: `${event.peer}: ${event.why}` });
        progress.take(event);
      },
    });
    progress.begin(peer.status);
    running.set(id, { peer, progress, inputs: new Inputs(peer, inputs, journal) });
  },
  reach: (id: string, target: Target): Promise<number> => find(id).progress.reach(target),
  status: (id: string): PeerStatus => find(id).peer.status,
  /** Takes what is new in its truth file and its log. @returns when it began */
  async look(id: string): Promise<number> {
    const began = moment();
    await find(id).inputs.look();
    return began;
  },
  /** The 99th percentile of the event loop's delay since the last call, ms. The first call begins to measure. */
  loopP99(): number {
    const delay = loop.enable() ? NaN : loop.percentile(99) / 1e6;
    loop.reset();
    return delay;
  },
};

export type WorkerFunctions = typeof functions;

/** If the bench is gone, this process is about to end. */
const send = (fault: Fault) => void process.send?.(fault, undefined, undefined, () => {});
const report = (_event: string, message: string) => send({ fault: message });
const journal: Journal = { info: report, warn: report, error: report, progress: () => {} };

answerCalls(functions);
