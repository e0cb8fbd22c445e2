import { Link } from '@remix-run/react';
import type { NameDetails as Details } from '#server/registry/index.ts';
import type { RegistryEntry } from '@mesh-registry/protocol/rest/registry.schema.ts';
import type { LocalMap } from '#server/drawing/index.ts';
import type { Peer } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import { LocationMap } from '#app/features/mesh/location-map.tsx';
import * as hrefs from '#app/lib/hrefs.ts';
import { coordinates, regionName } from '#app/lib/formatters.ts';
import facts from '#app/ui/facts.module.css';
import { KindIcon } from '#app/ui/kind-icon.tsx';
import { KIND_LABEL } from '#app/ui/kind-shapes.ts';
import { Moment } from '#app/ui/moment.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { Region } from '#app/ui/region.tsx';
import styles from './name-page.module.css';

export interface NameDetailsProps {
  entry: RegistryEntry;
  compute: Details['compute'];
}

/** What was registered, and what the compute offer runs. */
export function NameDetails({ entry, compute }: NameDetailsProps) {
  return (
    <Panel title="Details">
      <dl className={facts.facts}>
        <dt>Stands for</dt>
        <dd className={styles.kinds}>
          {entry.kinds.map((kind) => (
            <span key={kind}>
              <KindIcon kind={kind} /> {KIND_LABEL[kind]}
            </span>
          ))}
        </dd>
        <dt>Active since</dt>
        <dd>
          <Moment at={entry.activatedAt} />
        </dd>
        <dt>Region</dt>
        <dd>
          <Region code={entry.region} />
        </dd>
        <dt>Class</dt>
        <dd>{entry.class}</dd>
        <dt>Node ID</dt>
        <dd>
          <Link to={hrefs.node(entry.nodeId)}>
            <code>{entry.nodeId}</code>
          </Link>
        </dd>
        {compute && (
          <>
            <dt>Image</dt>
            <dd>
              <code>{compute.image || 'not stated'}</code>
            </dd>
            <dt>Backend</dt>
            <dd>{compute.backend}</dd>
            <dt>Visibility</dt>
            <dd>{compute.visibility}</dd>
          </>
        )}
      </dl>
    </Panel>
  );
}

interface NamePlaceProps {
  peer: Peer;
  /** Null if it could not be drawn. */
  map: LocalMap | null;
  /** Coordinates are rounded to multiples of this many degrees. */
  grid: number;
}

/** Where the node of a name is, roughly. */
export function NamePlace({ peer, map, grid }: NamePlaceProps) {
  const region = peer.region === 'ZZ' ? null : (regionName(peer.region) ?? peer.region);
  return (
    <Panel title="Place" className={styles.place}>
      {map && <LocationMap map={map} grid={grid} status={peer.status} />}
      <p suppressHydrationWarning>
        {region && `${region}, `}
        {coordinates(peer)}
      </p>
    </Panel>
  );
}
