import type { NodeOutages, NodeUptime } from '#server/uptime/index.ts';
import { spanText, WINDOW_LABEL } from '#app/features/uptime/uptime-text.ts';
import { useTextAt } from '#app/lib/clock.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { percent } from '#app/lib/formatters.ts';
import { Figures, type Figure } from '#app/ui/figures.tsx';
import { Link } from '#app/ui/link.tsx';
import { Verdict } from '#app/ui/verdict.tsx';
import { GenesisHealth } from './node-facts.tsx';
import type { LoadedNode } from './node-page.server.ts';
import { StatusReason, useNodeStatus, type NodeStatusProps } from './node-status.tsx';

/** How a node is, in a word and a sentence, with three figures; or why there is nothing to say of it. */
export function NodeVerdict({ node, asOf }: { node: LoadedNode; asOf: number | null }) {
  const { genesis, blocked, hidden, peer, reportedStatus, invalid, known } = node;
  if (genesis)
    return (
      <Verdict
        state={genesis.status}
        title={genesis.status === 'unknown' ? 'Not checked' : capital(genesis.status)}
        text={
          <>
            The bootstrap peer. This service checks its health: <GenesisHealth genesis={genesis} />.
            It sends no heartbeats.
          </>
        }
      />
    );
  if (blocked)
    return (
      <Verdict
        state="blocked"
        title="Blocked"
        text="Reviewers have blocked this node. The map and the directory hide it."
      />
    );
  if (peer && reportedStatus)
    return <PeerVerdict node={node} peer={peer} reportedStatus={reportedStatus} asOf={asOf} />;
  return (
    <Verdict
      state="unknown"
      title={known && !hidden ? 'Not heard from yet' : 'No node with this ID'}
      text={
        hidden
          ? 'This node was removed. The map and the directory hide it.'
          : invalid
            ? `No node can have this ID. ${invalid}`
            : 'We haven’t heard from this node yet.'
      }
    />
  );
}

function PeerVerdict({ node, ...props }: NodeStatusProps & { node: LoadedNode }) {
  const status = useNodeStatus(props);
  const { uptime, outages } = node;
  return (
    <>
      <Verdict state={status} title={capital(status)} text={<StatusReason {...props} />}>
        {uptime !== null && uptime !== 'unavailable' && outages !== null && (
          <PeerFigures
            joinedAt={props.peer.joinedAt}
            uptime={uptime}
            outages={outages === 'unavailable' ? null : outages}
          />
        )}
      </Verdict>
      {status === 'offline' && <StartAgain />}
    </>
  );
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

interface PeerFiguresProps {
  joinedAt: string;
  uptime: NodeUptime;
  /** Null while they aren't known. */
  outages: NodeOutages | null;
}

const DAY_MS = 86_400_000;

/** How long it has been well, and its uptime over a week and over all that is known. */
function PeerFigures({ joinedAt, uptime: { strips }, outages }: PeerFiguresProps) {
  const joined = Date.parse(joinedAt);
  const [newest] = outages?.latest ?? [];
  const since = newest ? Date.parse(newest.to ?? newest.from) : joined;
  const span = useTextAt((now) =>
    spanText(Math.max(0, Math.min(now - since, newest ? Infinity : 90 * DAY_MS)) / 1000),
  );
  const isNew = strips.length === 1;
  const first: Figure = {
    value: span,
    label: newest
      ? newest.to === null
        ? 'since its last heartbeat'
        : 'since the last outage'
      : isNew || outages === null
        ? 'since it joined'
        : 'without an outage',
  };
  const [shorter, longest] = [strips[strips.length > 2 ? 1 : 0], strips.at(-1)];
  const share = (strip = longest) =>
    !strip || strip.uptime === null ? '–' : percent(strip.uptime);
  const labelOf = (strip = longest) =>
    !strip || strip.cells.startsWith(' ')
      ? 'online since it joined'
      : `last ${WINDOW_LABEL[strip.window]}`;
  return (
    <Figures
      figures={
        isNew
          ? [
              first,
              { value: share(), label: 'online so far' },
              { value: '–', label: '90 days, from tomorrow' },
            ]
          : [
              first,
              { value: share(shorter), label: labelOf(shorter) },
              { value: share(longest), label: labelOf(longest) },
            ]
      }
    />
  );
}

/** What an operator does about a silent node. */
const StartAgain = () => (
  <p>
    If this node is yours, start its agent again with <code>mesh-agent run</code>, or ask{' '}
    <code>mesh-agent doctor</code> what is wrong.{' '}
    <Link to={hrefs.docs.operators('refusals')}>Errors and what to do</Link>
  </p>
);
