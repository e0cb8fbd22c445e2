import { Link } from '@remix-run/react';
import { Fragment, type ReactNode } from 'react';
import type { NameDetails as Details } from '#server/registry/index.ts';
import type { RegistryEntry } from '@mesh-registry/protocol/rest/registry.schema.ts';
import type { SimilarIds } from '#server/live/index.ts';
import { SimilarNodes } from '#app/features/mesh/similar-nodes.tsx';
import * as hrefs from '#app/lib/hrefs.ts';
import facts from '#app/ui/facts.module.css';
import { KindIcon } from '#app/ui/kind-icon.tsx';
import { KIND_LABEL } from '#app/ui/kind-shapes.ts';
import { Moment } from '#app/ui/moment.tsx';
import { Panel } from '#app/ui/panel.tsx';
import { Region } from '#app/ui/region.tsx';
import text from '#app/ui/text.module.css';
import styles from './name-page.module.css';

interface NameDetailsProps {
  entry: RegistryEntry;
  compute: Details['compute'];
  /** Nodes whose ids differ from that of its node only in the case of letters. */
  similar: SimilarIds;
}

/** What was registered, and what the compute offer runs. */
export function NameDetails({ entry, compute, similar }: NameDetailsProps) {
  const { kinds, activatedAt, region, class: size, nodeId } = entry;
  const details: Record<string, ReactNode> = {
    Kinds: (
      <span className={styles.kinds}>
        {kinds.map((kind) => (
          <span key={kind}>
            <KindIcon kind={kind} /> {KIND_LABEL[kind]}
          </span>
        ))}
      </span>
    ),
    'Active since': <Moment at={activatedAt} />,
    Region: <Region code={region} />,
    Class: size,
    'Node ID': (
      <>
        <Link to={hrefs.node(nodeId)}>
          <code>{nodeId}</code>
        </Link>
        {similar.count > 0 && (
          <span className={text.remark}>
            <SimilarNodes {...similar} />
          </span>
        )}
      </>
    ),
    ...(compute && {
      Image: <code>{compute.image || 'not stated'}</code>,
      Backend: compute.backend,
      Visibility: compute.visibility,
    }),
  };
  return (
    <Panel title="Details">
      <dl className={facts.facts}>
        {Object.entries(details).map(([term, value]) => (
          <Fragment key={term}>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
      </dl>
    </Panel>
  );
}
