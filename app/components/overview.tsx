import type { Genesis, MeshHead, MeshStats } from '../../server/schemas/mesh.ts';
import { PEER_STATUSES } from '../../server/schemas/values.ts';
import { count, nodes } from '../format.ts';
import { GenesisGlyph, StatusGlyph } from './glyph.tsx';
import { When } from './when.tsx';

/** The network in short: counts that add up, Genesis, phase. */
export function Overview({ head }: { head: MeshHead }) {
  return (
    <section className="overview card" aria-labelledby="overview-title">
      <div className="overview-head">
        <h2 id="overview-title">{nodes(head.stats.peers)}</h2>
        <p>Phase {head.phase}</p>
      </div>
      <dl className="counts">
        {PEER_STATUSES.map((status) => (
          <div key={status}>
            <dt>
              <StatusGlyph status={status} />
              {status}
            </dt>
            <dd>{count(head.stats[status])}</dd>
          </div>
        ))}
      </dl>
      <ShareBar stats={head.stats} />
      <GenesisLine genesis={head.genesis} />
    </section>
  );
}

/** The counts as shares of one bar. An SVG, because the page's policy forbids styles in the markup. */
function ShareBar({ stats }: { stats: MeshStats }) {
  let x = 0;
  const parts = PEER_STATUSES.flatMap((status) => {
    const width = stats.peers === 0 ? 0 : (stats[status] / stats.peers) * 100;
    const part = { status, x, width };
    x += width;
    return width > 0 ? [part] : [];
  });
  return (
    <svg className="share-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden>
      {parts.map(({ status, x, width }) => (
        <rect
          key={status}
          className={status}
          x={x}
          // A gap between the parts, if there is room for one.
          width={Math.max(width - 0.6, 0.3)}
          height="6"
          fill="currentColor"
        />
      ))}
    </svg>
  );
}

function GenesisLine({ genesis }: { genesis: Genesis }) {
  return (
    <div className="genesis-line">
      <GenesisGlyph />
      <h3>{genesis.label}</h3>
      <p>
        <GenesisHealth genesis={genesis} />
      </p>
    </div>
  );
}

/** The bootstrap peer's health: from a check of our own, not from heartbeats. */
export function GenesisHealth({ genesis }: { genesis: Genesis }) {
  const { status, latencyMs, lastSeen, checkedAt } = genesis;
  if (status === 'online')
    return (
      <>
        online{latencyMs === null ? '' : ` · ${latencyMs} ms`}
        {checkedAt && (
          <>
            {' · checked '}
            <When at={checkedAt} />
          </>
        )}
      </>
    );
  if (status === 'unknown') return <>not checked</>;
  return (
    <>
      offline
      {lastSeen ? (
        <>
          {' · seen '}
          <When at={lastSeen} />
        </>
      ) : (
        ' · never seen'
      )}
    </>
  );
}
