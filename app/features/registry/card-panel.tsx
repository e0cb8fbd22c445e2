import type { RegistryEntry } from '@mesh-registry/protocol/rest/registry.schema.ts';
import { Panel } from '#app/ui/panel.tsx';
import text from '#app/ui/text.module.css';
import { CARD, cardAlt, cardPath } from './card.ts';
import styles from './card-panel.module.css';

/** The picture that other sites show beside a link to the page. */
export function CardPanel({ entry }: { entry: RegistryEntry }) {
  const path = cardPath(entry.name);
  return (
    <Panel title="Card">
      <p className={text.secondary}>Other sites show this picture with a link to the page.</p>
      <a href={path}>
        <img className={styles.card} src={path} alt={cardAlt(entry)} loading="lazy" {...CARD} />
      </a>
    </Panel>
  );
}
