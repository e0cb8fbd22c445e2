import { useLoaderData } from '@remix-run/react';
import { UptimePanel } from '#app/features/uptime/uptime-panel.tsx';
import { LivePage } from '#app/features/live/connection-status.tsx';
import * as hrefs from '#app/lib/hrefs.ts';
import button from '#app/ui/button.module.css';
import { Link } from '#app/ui/link.tsx';
import { ExactTime } from '#app/ui/moment.tsx';
import { Panel } from '#app/ui/panel.tsx';
import text from '#app/ui/text.module.css';
import { NodeComputes } from './node-computes.tsx';
import { NodeDetails } from './node-details.tsx';
import type { LoadedNode, loadNode } from './node-page.server.ts';
import styles from './node-page.module.css';
import { SimilarNodes } from './similar-nodes.tsx';
import { useLiveNode } from './use-live-node.ts';
import { NodeTroubleshooting } from './node-troubleshooting.tsx';
import type { RegistryEntry } from '@mesh-registry/protocol/rest/registry.schema.ts';
import { Kinds } from '#app/ui/kind-icon.tsx';

/** The page of one node: its status, location, compute offers and names, or what an unknown node needs. */
export function NodePage() {
  const { node: loaded, connection } = useLiveNode(useLoaderData<typeof loadNode>());
  const { id, genesis, blocked, hidden, peer, map, computes, names } = loaded;
  const asOf = connection.state === 'stale' ? connection.asOf : null;
  return (
    <LivePage
      connection={connection}
      updatedAt={loaded.updatedAt}
      title={nodeTitle(loaded)}
      intro={<Intro {...loaded} />}
      actions={
        map && (
          <>
            {peer && (
              <a className={button.button} href={hrefs.nodeFeed(id)} type="application/atom+xml">
                Atom feed
              </a>
            )}
            <Link className={button.button} to={hrefs.map({ node: id })}>
              Show on map
            </Link>
          </>
        )
      }
    >
      <div className={styles.panels}>
        {loaded.similar.count > 0 && (
          <p className={`${text.notice} ${styles.wide}`}>
            <SimilarNodes {...loaded.similar} />
          </p>
        )}
        <NodeDetails node={loaded} asOf={asOf} />
        {blocked && <BlockedNode />}
        {!blocked && hidden && <HiddenNode {...hidden} />}
        {!peer && !genesis && !blocked && !hidden && <NodeTroubleshooting {...loaded} />}
        {!genesis && (peer ?? loaded.known) && (
          <>
            <NodeNames names={names} wide={peer === null} />
            <UptimePanel title="Uptime" uptime={loaded.uptime} className={styles.wide} />
            {!blocked && !hidden && <NodeComputes computes={computes} />}
          </>
        )}
      </div>
    </LivePage>
  );
}

/** The line under the title: the id, or what is unusual about the node. */
function Intro(node: LoadedNode) {
  const { id, genesis, blocked, hidden, peer, invalid } = node;
  if (genesis)
    return <>The bootstrap peer. This service checks its health; it sends no heartbeats.</>;
  if (peer) {
    const title = nodeTitle(node);
    return (
      <>
        {![id, title].includes(peer.label) && `${peer.label} `}
        {title !== id && <code className={styles.id}>{id}</code>}
      </>
    );
  }
  return (
    <>
      {nodeTitle(node) !== truncated(id) && <code className={styles.id}>{truncated(id)} </code>}
      <strong>
        {blocked
          ? 'Reviewers have blocked this node. The map and the directory hide it.'
          : hidden
            ? 'This node was removed. The map and the directory hide it.'
            : invalid
              ? `No node can have this ID. ${invalid}`
              : 'We haven’t heard from this node yet.'}
      </strong>
    </>
  );
}

function BlockedNode() {
  return (
    <Panel title="What this means" className={styles.wide}>
      <p>
        The service rejects its heartbeats and announcements with 403 <code>blocked</code>. Earlier
        data is kept and shows again when the block is lifted. If this is your node, contact the
        operator of this network.
      </p>
    </Panel>
  );
}

function HiddenNode({ hiddenAt, removedAt }: NonNullable<LoadedNode['hidden']>) {
  return (
    <Panel title="What this means" className={styles.wide}>
      <p>
        Somebody removed it with the network’s secret at <ExactTime at={hiddenAt} />. Its history is
        deleted at <ExactTime at={removedAt} />, unless it sends a heartbeat or an announcement
        before then: that brings it back as it was.
      </p>
    </Panel>
  );
}

/** Names that fit into a title. */
const TITLE_NAMES = 3;

/** What the node is called: by its active names, or else by its label. */
export function nodeTitle({ id, genesis, peer, names }: LoadedNode): string {
  const more = names.length - TITLE_NAMES;
  const shown = names.slice(0, TITLE_NAMES).map(({ name }) => name);
  if (shown.length > 0) return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
  return genesis?.label ?? peer?.label ?? truncated(id);
}

/** Longest title from a URL, characters. */
const TITLE_MAX = 80;

const truncated = (title: string) =>
  title.length > TITLE_MAX ? `${title.slice(0, TITLE_MAX)}…` : title;

/** The active names that are registered for the node. Where it has a location, they are beside it. */
function NodeNames({ names, wide }: { names: RegistryEntry[]; wide: boolean }) {
  return (
    <Panel title="Active names" className={wide ? styles.wide : ''}>
      {names.length === 0 ? (
        <p className={text.secondary}>
          This node has no active name. If it is yours, you can{' '}
          <Link to={hrefs.register()}>register one</Link>.
        </p>
      ) : (
        <ul>
          {names.map(({ name, kinds }) => (
            <li key={name}>
              <Kinds kinds={kinds} />{' '}
              <Link className={styles.name} to={hrefs.name(name)}>
                {name}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
