import type { NameDetails } from '#server/registry/index.ts';
import type { RegistryEntry } from '@mesh-registry/protocol/rest/registry.schema.ts';
import { spanText } from '#app/features/uptime/uptime-text.ts';
import { useTextAt } from '#app/lib/clock.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { count, counted } from '#app/lib/formatters.ts';
import { Link } from '#app/ui/link.tsx';
import { RelativeTime } from '#app/ui/moment.tsx';
import { Verdict } from '#app/ui/verdict.tsx';
import styles from './name-page.module.css';

interface NameVerdictsProps extends Pick<NameDetails, 'peer' | 'compute'> {
  entry: RegistryEntry;
  /** When the last outage of its node ended; null if there was none, or it lasts. */
  lastOutage: string | null;
}

/** The current state of what a name belongs to: its node, its compute offer, or both. */
export function NameVerdicts({ entry, peer, compute, lastOutage }: NameVerdictsProps) {
  const { name, nodeId, kinds } = entry;
  return (
    <section className={styles.verdicts} aria-label="Status">
      {kinds.includes('node') && (
        <Verdict
          of="Node"
          state={peer?.status ?? 'unknown'}
          title={peer ? capital(peer.status) : 'Not heard from yet'}
          text={
            peer ? (
              <>
                <Link className={styles.node} to={hrefs.node(nodeId)}>
                  {peer.label}
                </Link>
                , last heartbeat <RelativeTime at={peer.lastSeen} />.
                {lastOutage !== null && <LastOutage at={lastOutage} />}
              </>
            ) : (
              <>
                We haven’t heard from this node yet, so it isn’t on the map.{' '}
                <Link to={hrefs.node(nodeId)}>View node</Link>
              </>
            )
          }
        />
      )}
      {kinds.includes('compute') && (
        <Verdict
          of="Compute offer"
          state={compute?.status ?? 'unknown'}
          title={compute ? offerTitle(compute) : 'Not announced yet'}
          text={
            compute ? (
              <>
                {count(compute.replicas)} {compute.replicas === 1 ? 'replica' : 'replicas'}
                {compute.image && (
                  <>
                    {' of '}
                    <code>{compute.image}</code>
                  </>
                )}
                , announced <RelativeTime at={compute.lastSeen} />.
              </>
            ) : (
              `The node hasn’t announced a compute offer named ${name} yet. It is listed automatically once it does.`
            )
          }
        />
      )}
    </section>
  );
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

const offerTitle = ({ status, freeSlots }: NonNullable<NameDetails['compute']>) =>
  status === 'available' ? `${counted(freeSlots, 'slot')} free` : capital(status);

function LastOutage({ at }: { at: string }) {
  const ago = useTextAt((now) => spanText(Math.max(0, now - Date.parse(at)) / 1000));
  return <> Last outage {ago} ago.</>;
}
