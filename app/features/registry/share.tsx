import type { RegistryEntry } from '@mesh-registry/protocol/rest/registry.schema.ts';
import * as hrefs from '#app/lib/hrefs.ts';
import { useNetwork } from '#app/lib/network.tsx';
import { Command } from '#app/ui/command.tsx';
import { NearImage } from '#app/ui/near-image.tsx';
import { Section } from '#app/ui/section.tsx';
import text from '#app/ui/text.module.css';
import {
  badgeHtml,
  badgeLabel,
  badgeMarkdown,
  BADGES,
  CARD,
  cardAlt,
  type Badge,
} from './badge.ts';
import styles from './share.module.css';

const SHOWS: Record<Badge, string> = {
  status: 'Status',
  uptime: 'Uptime',
  slots: 'Free slots',
};

interface ShareProps {
  entry: RegistryEntry;
  /** Scheme and host of this service. */
  origin: string;
  /** What the badges say now. */
  states: Record<Badge, string>;
}

/** What other sites can show of a name: its badges, with their code, and the picture beside a link to it. */
export function Share({ entry, origin, states }: ShareProps) {
  const { name } = entry;
  const { name: network } = useNetwork();
  return (
    <Section title="Share">
      <p>
        <BadgeImage name={name} badge="status" state={states.status} />
      </p>
      <p className={text.secondary}>A live badge, and an image for link previews.</p>
      <details className={styles.more}>
        <summary>Get the badge code</summary>
        <ul className={styles.badges}>
          {BADGES.map((badge) => (
            <Code
              key={badge}
              name={name}
              badge={badge}
              listed={{ origin, network }}
              state={states[badge]}
            />
          ))}
        </ul>
      </details>
      <details className={styles.more}>
        <summary>Show the link preview</summary>
        <NearImage
          className={styles.card}
          src={hrefs.card(name)}
          alt={cardAlt(network, entry)}
          link="Open the picture"
          {...CARD}
        />
      </details>
    </Section>
  );
}

interface BadgeImageProps {
  name: string;
  badge: Badge;
  /** What it says now: part of its URL, because browsers keep a badge for a minute. */
  state: string;
}

const BadgeImage = ({ name, badge, state }: BadgeImageProps) => (
  <NearImage
    className={styles.badge}
    src={`${hrefs.badge(name)}?show=${badge}&state=${encodeURIComponent(state)}`}
    alt={`${badgeLabel(name, badge)}: ${state}`}
    link={`${badgeLabel(name, badge)}: ${state}`}
    height={20}
  />
);

interface CodeProps extends BadgeImageProps {
  listed: { origin: string; network: string };
}

const Code = ({ listed, ...image }: CodeProps) => (
  <li>
    <BadgeImage {...image} />
    <Command
      label={`${SHOWS[image.badge]} badge in Markdown`}
      code={badgeMarkdown(listed, image.name, image.badge)}
      copyLabel="Copy Markdown"
    />
    <Command
      label={`${SHOWS[image.badge]} badge in HTML`}
      code={badgeHtml(listed, image.name, image.badge)}
      copyLabel="Copy HTML"
    />
  </li>
);
