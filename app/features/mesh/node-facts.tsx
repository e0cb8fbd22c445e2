import type { ReactNode } from 'react';
import type { Genesis } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import facts from '#app/ui/facts.module.css';
import { Region } from '#app/ui/region.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';

interface TimeComponent {
  /** Shows its moments: relative in a card, with the exact time on a page. */
  Time: (props: { at: string }) => ReactNode;
  /** Further facts. */
  children?: ReactNode;
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
