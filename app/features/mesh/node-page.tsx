import { useLoaderData } from '@remix-run/react';
import { LivePage } from '#app/features/live/connection-status.tsx';
import { UptimeDays } from '#app/features/uptime/uptime-days.tsx';
import { dateAndTime, zoneOf } from '#app/lib/clock.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { counted, percent } from '#app/lib/formatters.ts';
import { useHydrated } from '#app/lib/use-hydrated.ts';
import button from '#app/ui/button.module.css';
import columns from '#app/ui/columns.module.css';
import { CopySign } from '#app/ui/copy-button.tsx';
import { FollowLink } from '#app/ui/follow-link.tsx';
import { MapIcon } from '#app/ui/icons.tsx';
import { Link } from '#app/ui/link.tsx';
import { ExactTime } from '#app/ui/moment.tsx';
import { Notice } from '#app/ui/notice.tsx';
import { Operator } from '#app/ui/operator.tsx';
import { TitleRow } from '#app/ui/title-row.tsx';
import { NextSteps } from './next-steps.tsx';
import { NodeComputes } from './node-computes.tsx';
import { NodeIdentity } from './node-identity.tsx';
import { NodeNames } from './node-names.tsx';
import { NoHistory, Outages } from './node-outages.tsx';
import type { LoadedNode, loadNode } from './node-page.server.ts';
import styles from './node-page.module.css';
import { NodeTroubleshooting } from './node-troubleshooting.tsx';
import { NodeVerdict } from './node-verdict.tsx';
import { Place } from './place-map.tsx';
import { SimilarNodes } from './similar-nodes.tsx';
import { useLiveNode } from './use-live-node.ts';

/** The page of one node: how it is, its history, offers, place and key; or what an unknown node needs. */
export function NodePage() {
  const { node, connection } = useLiveNode(useLoaderData<typeof loadNode>());
  const { id, genesis, blocked, hidden, peer, names, similar } = node;
  const asOf = connection.state === 'stale' ? connection.asOf : null;
  const isKnown = peer !== null || (node.known && !genesis && !hidden);
  return (
    <LivePage connection={connection} updatedAt={node.updatedAt}>
      <TitleRow
        title={nodeTitle(node)}
        under={
          node.known && (
            <span className={styles.id}>
              <code>{id}</code>
              <CopySign text={id} label="Copy the node ID" />
            </span>
          )
        }
        actions={<Actions node={node} />}
      />
      <NodeVerdict node={node} asOf={asOf} />
      {similar.count > 0 && (
        <Notice kind="warning" className={styles.notice}>
          <SimilarNodes {...similar} />
        </Notice>
      )}
      {blocked && <BlockedNode />}
      {hidden && !blocked && <HiddenNode {...hidden} />}
      {isKnown && <NodeNames id={id} names={names} />}
      {peer || genesis ? (
        <div className={columns.columns}>
          <div>{peer && <History node={node} />}</div>
          <div>
            <NodePlace node={node} />
            <Identity node={node} />
          </div>
        </div>
      ) : (
        <>
          {isKnown && !blocked && node.computes.length > 0 && (
            <NodeComputes computes={node.computes} offline={false} />
          )}
          {node.nearest !== null && (
            <p className={styles.nearest}>
              Did you mean <Link to={hrefs.node(node.nearest)}>{node.nearest}</Link>?
            </p>
          )}
          {!blocked && <NodeTroubleshooting {...node} />}
        </>
      )}
    </LivePage>
  );
}

function Actions({ node: { id, map, peer } }: { node: LoadedNode }) {
  return (
    map && (
      <>
        <Link className={button.button} to={hrefs.map({ node: id })}>
          <MapIcon />
          Show on map
        </Link>
        {peer && <FollowLink href={hrefs.nodeFeed(id)} />}
      </>
    )
  );
}

/** A node is new for its first day: then it has no whole day yet. */
const NEW_MS = 86_400_000;

function History({ node }: { node: LoadedNode }) {
  const { id, peer, outages, computes, names, updatedAt } = node;
  if (!peer) return null;
  const isNew = Date.parse(updatedAt) - Date.parse(peer.joinedAt) < NEW_MS;
  return (
    <>
      {isNew && (
        <NextSteps
          id={id}
          joinedAt={peer.joinedAt}
          named={names.length > 0}
          offers={computes.some(({ listed }) => listed)}
        />
      )}
      {outages === 'unavailable' ? (
        <NoHistory />
      ) : (
        outages && (
          <>
            <Days node={node} outages={outages} isNew={isNew} />
            <Outages outages={outages} days={outages.days} allHref={hrefs.nodeOutages(id)} />
          </>
        )
      )}
      <NodeComputes computes={computes} offline={peer.status === 'offline'} />
    </>
  );
}

interface DaysProps {
  node: LoadedNode;
  outages: Exclude<LoadedNode['outages'], 'unavailable' | null>;
  isNew: boolean;
}

function Days({ node: { uptime, updatedAt }, outages: { total, days }, isNew }: DaysProps) {
  const hydrated = useHydrated();
  const strip = uptime === 'unavailable' ? undefined : uptime?.strips.at(-1);
  const share = strip?.uptime ?? null;
  const words = [
    share === null ? null : percent(share),
    total === 0 ? 'no outages' : counted(total, 'outage'),
  ].filter((word) => word !== null);
  // Days are those of UTC.
  const tomorrow = `${new Date(Date.parse(updatedAt) + NEW_MS).toISOString().slice(0, 10)}T00:00:00.000Z`;
  return (
    <UptimeDays
      title="Uptime, 90 days"
      days={days}
      summary={
        isNew
          ? `First day complete at ${dateAndTime(tomorrow, hydrated)[1]} ${zoneOf(tomorrow, hydrated)}`
          : words.join(', ')
      }
      label={isNew ? 'No complete day yet' : `90 days: ${words.join(', ')}`}
      {...(isNew && { lastDay: 'joined today' })}
    />
  );
}

function NodePlace({ node: { peer, genesis, map, grid } }: { node: LoadedNode }) {
  if (peer) return <Place at={peer} map={map} grid={grid} status={peer.status} />;
  return genesis && map && <Place at={genesis} map={map} grid={null} status="genesis" />;
}

function Identity({ node }: { node: LoadedNode }) {
  const { id, peer, genesis, names, pinned } = node;
  if (genesis)
    return (
      <Notice>
        Heartbeats with the ID “genesis” are rejected. If this is your node’s ID, choose another
        one.
      </Notice>
    );
  return <NodeIdentity id={id} peer={peer} names={names} pinned={pinned} />;
}

const BlockedNode = () => (
  <Notice kind="warning" className={styles.notice}>
    <p>
      The service rejects its heartbeats and announcements with 403 <code>blocked</code>. Earlier
      data is kept and shows again when the block is lifted. If this is your node, contact{' '}
      <Operator />.
    </p>
  </Notice>
);

const HiddenNode = ({ hiddenAt, removedAt }: NonNullable<LoadedNode['hidden']>) => (
  <Notice className={styles.notice}>
    <p>
      Somebody removed it with the network’s secret at <ExactTime at={hiddenAt} />. Its history is
      deleted at <ExactTime at={removedAt} />, unless it sends a heartbeat or an announcement before
      then: that brings it back as it was.
    </p>
  </Notice>
);

/** What the node is called: by its label, or else by its id. */
export const nodeTitle = ({ id, genesis, peer }: LoadedNode): string =>
  genesis?.label ?? peer?.label ?? truncated(id);

/** Longest title from a URL, characters. */
const TITLE_MAX = 80;

const truncated = (title: string) =>
  title.length > TITLE_MAX ? `${title.slice(0, TITLE_MAX)}…` : title;
