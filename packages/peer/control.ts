import { MalformedError, parseMessage } from './session/channel.ts';
import type { PeerContext } from './context.ts';
import type { Gossip } from './sync/gossip.ts';
import { LIMITS, POINTS } from './base/limits.ts';
import { ControlMessage, type Hello } from './session/messages.schema.ts';
import type { Session } from './session/session.ts';

interface ControlOptions {
  gossip: Gossip;
  /** What the peer has said of itself in its hello. */
  record: Hello['record'];
  /** The peer has said which versions and height it has. */
  onHave: (session: Session) => void;
}

/** Answers what a peer says on its control stream, until the session ends. It never throws: faults are punished. */
export async function listen(
  session: Session,
  { sessions, punish }: PeerContext,
  { gossip, record, onHave }: ControlOptions,
): Promise<void> {
  try {
    if (record && session.budget.take('records', 1)) await gossip.take([record], session);
    while (!session.ended.aborted) {
      const bytes = await session.channel.receiveBytes(session.ended);
      // To read a message costs as much as it is long.
      await session.budget.untilTaken('bytes', bytes.byteLength, session.ended);
      const message = parseMessage(bytes, ControlMessage);
      const cost = message.t === 'getpeers' ? LIMITS.peersRequestCost : 1;
      if (!session.messages.take(cost)) {
        punish(session, POINTS.flood, 'too many messages');
        continue;
      }
      // Its neighbours may have used up what the host has: that is no fault of its own.
      await session.budget.untilTaken('messages', cost, session.ended);
      switch (message.t) {
        case 'ping':
          // This waits until the pong is sent, so from a peer that pings without reading the answers nothing more is read.
          await session.channel.send({ t: 'pong', n: message.n });
          break;
        case 'pong':
          if (!session.pong(message.n)) punish(session, POINTS.unaskedPong, 'unasked pong');
          break;
        case 'have':
          session.have = { root: message.root, truth: message.truth, height: message.height };
          onHave(session);
          break;
        case 'getpeers':
          await session.channel.send({ t: 'peers', records: gossip.sampleFor(session.peer) });
          break;
        case 'peers':
          if (!session.takeRecords(message.records.length))
            punish(session, POINTS.flood, 'too many records');
          else if (session.budget.take('records', message.records.length))
            await gossip.take(message.records, session);
          break;
        case 'bye':
          session.farewell = message.code;
          return sessions.end(session, `said bye: ${message.code}`);
      }
    }
  } catch (error) {
    if (error instanceof MalformedError) punish(session, POINTS.malformed, error.message);
    sessions.end(session, error instanceof MalformedError ? 'malformed' : 'lost');
  }
}
