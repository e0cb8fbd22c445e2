import type { Genesis } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { RelativeTime } from '#app/ui/moment.tsx';

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
