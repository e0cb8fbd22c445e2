import { useNavigate, useSearchParams } from '@remix-run/react';
import { useId, type KeyboardEvent } from 'react';
import styles from './command-box.module.css';
import { CopyButton } from './copy-button.tsx';
import { Link } from './link.tsx';

interface CommandLineProps {
  /** What it does, for people who can't see it. */
  label: string;
  code: string;
  /** What runs it: a shell, or the shell of a machine with mesh-agent. */
  language?: 'sh' | 'agent';
}

/** One command with its button. It takes the focus, so that a keyboard can scroll a long one. */
export const CommandLine = ({ label, code, language = 'sh' }: CommandLineProps) => (
  <div className={styles.line}>
    <span className={styles.prompt} aria-hidden>
      $
    </span>
    <pre tabIndex={0} role="group" aria-label={label} data-language={language}>
      <code>{code}</code>
    </pre>
    <CopyButton text={code} />
  </div>
);

export interface Way extends CommandLineProps {
  /** Its value of `os` in the URL. */
  key: string;
  name: string;
  facts: { title: string; text: string }[];
}

interface CommandBoxProps {
  label: string;
  /** The first is the one that a plain URL shows. */
  ways: [Way, ...Way[]];
}

/** Ways to do one thing as tabs, each with its command and three facts. Without scripts the tabs are links. */
export function CommandBox({ label, ways }: CommandBoxProps) {
  const id = useId();
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const chosen = ways.find(({ key }) => key === search.get('os')) ?? ways[0];
  const to = ({ key }: Way) => (key === ways[0].key ? '?' : `?os=${key}`);
  const move = (event: KeyboardEvent) => {
    const at = ways.indexOf(chosen);
    const next = {
      ArrowRight: ways[(at + 1) % ways.length],
      ArrowLeft: ways.at(at - 1),
      Home: ways[0],
      End: ways.at(-1),
    }[event.key];
    if (!next) return;
    event.preventDefault();
    document.getElementById(`${id}-${next.key}`)?.focus();
    navigate(to(next), { replace: true, preventScrollReset: true });
  };
  return (
    <div className={styles.box}>
      <div className={styles.tabs} role="tablist" aria-label={label} onKeyDown={move}>
        {ways.map((way) => (
          <Link
            key={way.key}
            id={`${id}-${way.key}`}
            to={to(way)}
            role="tab"
            aria-selected={way === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={way === chosen ? 0 : -1}
            replace
            preventScrollReset
          >
            {way.name}
          </Link>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${chosen.key}`}>
        <CommandLine {...chosen} />
        <dl className={styles.facts}>
          {chosen.facts.map(({ title, text }) => (
            <div key={title}>
              <dt>{title}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      </div>
    </div>
  );
}
