import type { ReactNode } from 'react';
import type { Genesis, Peer } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import facts from '#app/ui/facts.module.css';
import { Region } from '#app/ui/region.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { Term } from '#app/ui/term.tsx';

interface TimeComponent {
  /** Shows its moments: relative in a card, with the exact time on a page. */
  Time: (props: { at: string }) => ReactNode;
  /** Further facts. */
  children?: ReactNode;
}

interface PeerFactsProps extends TimeComponent {
  peer: Peer;
  status: ReactNode;
}

/** What a node's heartbeats say about it. */
export function PeerFacts({ peer, status, Time, children }: PeerFactsProps) {
  return (
    <dl className={facts.facts}>
      <dt>Status</dt>
      <dd>{status}</dd>
      <dt>Last seen</dt>
      <dd>
        <Time at={peer.lastSeen} />
      </dd>
      <dt>Joined</dt>
      <dd>
        <Time at={peer.joinedAt} />
      </dd>
      <dt>
        <Term id="class" />
      </dt>
      <dd>{peer.class}</dd>
      <dt>Region</dt>
      <dd>
        <Region code={peer.region} />
      </dd>
      {children}
    </dl>
  );
}

interface GenesisFactsProps extends TimeComponent {
  genesis: Genesis;
}

/** What is known about the bootstrap peer from our own checks. */
export function GenesisFacts({ genesis, Time, children }: GenesisFactsProps) {
  return (
    <dl className={facts.facts}>
      <dt>Health</dt>
      <dd>
        <GenesisHealth genesis={genesis} />
      </dd>
      {genesis.joinedAt && (
        <>
          <dt>Since</dt>
          <dd>
            <Time at={genesis.joinedAt} />
          </dd>
        </>
      )}
      <dt>Region</dt>
      <dd>
        <Region code={genesis.region} />
      </dd>
      {children}
    </dl>
  );
}

/** The health of the bootstrap peer. It comes from our own checks, not from heartbeats. */
export function GenesisHealth({ genesis }: { genesis: Genesis }) {
  const { status, latencyMs, lastSeen, checkedAt } = genesis;
  if (status === 'unknown') return <>not checked</>;
  if (status === 'online')
    return (
      <>
        online{latencyMs === null ? '' : ` · ${latencyMs} ms`}
        {checkedAt && (
          <>
            {' · checked '}
            <RelativeTime at={checkedAt} />
          </>
        )}
      </>
    );
  return lastSeen ? (
    <>
      offline · last seen <RelativeTime at={lastSeen} />
    </>
  ) : (
    <>offline · never seen</>
  );
}
