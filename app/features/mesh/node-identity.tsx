import type { Peer } from '@mesh-registry/protocol/rest/mesh.schema.ts';
import type { NodeDetails } from '#server/nodes/index.ts';
import { CLASS_WORDS } from '#app/lib/formatters.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { FactList } from '#app/ui/fact-list.tsx';
import { DoneIcon } from '#app/ui/icons.tsx';
import { Link } from '#app/ui/link.tsx';
import { DayOf, RelativeTime } from '#app/ui/moment.tsx';
import { Section } from '#app/ui/section.tsx';
import styles from './node-page.module.css';
import { registeredInWords } from './registered-facts.ts';

interface NodeIdentityProps {
  id: string;
  /** Null if the node has never sent a heartbeat. */
  peer: Peer | null;
  /** Its active names, with what was registered otherwise. */
  names: NodeDetails['names'];
  /** The public key that alone can sign for the node; null: any may. */
  pinned: string | null;
}

/** Who the node is, and how that can be told. */
export function NodeIdentity({ id, peer, names, pinned }: NodeIdentityProps) {
  const otherwise = names.flatMap(({ name, registered }) => {
    const words = registeredInWords(registered);
    return words === '' ? [] : `${name}: ${words}`;
  });
  return (
    <Section
      title="Identity"
      aside={<Link to={hrefs.docs.identity('pinning')}>How this is checked</Link>}
    >
      <FactList
        facts={[
          { term: 'Node ID', value: <code>{id}</code> },
          peer && { term: 'Class', value: CLASS_WORDS[peer.class] },
          peer && {
            term: 'Joined',
            value: (
              <>
                <DayOf at={peer.joinedAt} withYear />, <RelativeTime at={peer.joinedAt} />
              </>
            ),
          },
          peer && otherwise.length > 0
            ? { term: 'Registered as', value: otherwise.join('; ') }
            : null,
          {
            term: 'Key',
            value: pinned ? (
              <a href={hrefs.api.nodeKey(id)} title={pinned}>
                <code>{shortened(pinned)}</code>
              </a>
            ) : (
              'None yet'
            ),
          },
          {
            term: 'Pinned',
            value: pinned ? (
              <>
                <span className={styles.tick}>
                  <DoneIcon />
                </span>{' '}
                Only this key can sign for this node
              </>
            ) : (
              'Not yet: pinned with its first proved name'
            ),
          },
        ]}
      />
    </Section>
  );
}

/** The ends of a key: enough to tell it from another at a glance. */
const shortened = (key: string) => `${key.slice(0, 8)}…${key.slice(-6)}`;
