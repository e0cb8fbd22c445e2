import type { RegistryEntry } from '@mesh-registry/protocol/rest/registry.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { useNetwork } from '#app/lib/network.tsx';
import { Command } from '#app/ui/command.tsx';
import { Panel } from '#app/ui/panel.tsx';
import text from '#app/ui/text.module.css';
import styles from './share-panels.module.css';
import {
  badgeHtml,
  badgeLabel,
  badgeMarkdown,
  BADGES,
  CARD,
  cardAlt,
  type Badge,
} from './badge.ts';

const SHOWS: Record<Badge, string> = {
  status: 'Status',
  uptime: 'Uptime',
  slots: 'Free slots',
};

interface BadgePanelProps {
  name: string;
  /** Scheme and host of this service. */
  origin: string;
  /** What the badges say now. */
  states: Record<Badge, string>;
}

/** The badges of a name, to embed in a README or a web page. */
export function BadgePanel({ name, origin, states }: BadgePanelProps) {
  const listed = { origin, network: useNetwork().name };
  return (
    <Panel title="Badges">
      <p className={text.secondary}>For a README or a web page. They update within a minute.</p>
      <ul className={styles.badges}>
        {BADGES.map((badge) => (
          <li key={badge}>
            {/* The state is in the URL because browsers cache a badge for a minute. */}
            <img
              src={`${hrefs.badge(name)}?show=${badge}&state=${encodeURIComponent(states[badge])}`}
              alt={`${badgeLabel(name, badge)}: ${states[badge]}`}
              height="20"
            />
            <details className={styles.code}>
              <summary>{SHOWS[badge]}: code to embed</summary>
              <Command
                label={`${SHOWS[badge]} badge in Markdown`}
                code={badgeMarkdown(listed, name, badge)}
                copyLabel="Copy Markdown"
              />
              <Command
                label={`${SHOWS[badge]} badge in HTML`}
                code={badgeHtml(listed, name, badge)}
                copyLabel="Copy HTML"
              />
            </details>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** The picture that other sites show beside a link to the page. */
export function CardPanel({ entry }: { entry: RegistryEntry }) {
  const path = hrefs.card(entry.name);
  const { name: network } = useNetwork();
  return (
    <Panel title="Card">
      <p className={text.secondary}>Other sites show this picture with a link to the page.</p>
      <a href={path}>
        <img
          className={styles.card}
          src={path}
          alt={cardAlt(network, entry)}
          loading="lazy"
          {...CARD}
        />
      </a>
    </Panel>
  );
}
