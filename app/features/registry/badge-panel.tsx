import type { RegistryEntry } from '#server/registry/registry.schema.ts';
import { CopyButton } from '#app/ui/copy-button.tsx';
import { Panel } from '#app/ui/panel.tsx';
import text from '#app/ui/text.module.css';
import { badgeAlt, badgeMarkdown, badgeState } from './badge.ts';
import styles from './name-page.module.css';

/** The badge of a name, to embed in a README or a web page. */
export function BadgePanel({ entry, origin }: { entry: RegistryEntry; origin: string }) {
  const { name } = entry;
  const state = badgeState(entry).text;
  const page = `${origin}/registry/${name}`;
  const snippets = [
    { language: 'Markdown', code: badgeMarkdown(origin, name) },
    {
      language: 'HTML',
      code: `<a href="${page}"><img src="${page}/badge.svg" alt="${badgeAlt(name)}"></a>`,
    },
  ];
  return (
    <Panel title="Badge" className={styles.badge}>
      <p>
        {/* The state is in the URL because browsers cache a badge for a minute. */}
        <img
          src={`/registry/${name}/badge.svg?shows=${encodeURIComponent(state)}`}
          alt={`${name}: ${state}`}
          height="20"
        />
        <span className={text.secondary}>For a README or a web page. Updates within a minute.</span>
      </p>
      {snippets.map(({ language, code }) => (
        <div key={language} className={styles.snippet}>
          <h3>{language}</h3>
          <pre className={text.code} tabIndex={0} aria-label={`Badge in ${language}`}>
            <code>{code}</code>
          </pre>
          <CopyButton text={code} label={`Copy ${language}`} />
        </div>
      ))}
    </Panel>
  );
}
