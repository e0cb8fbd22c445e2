import { Form } from '@remix-run/react';
import type { PendingDecision } from '#server/review/decisions.ts';
import { Key } from './key.tsx';
import { Until } from '../moments.tsx';
import { DOING } from '../labels.ts';

/** The reviewer's own decisions of the last seconds, and the way back; the newest first. */
export function UndoBar({ mine, action }: { mine: PendingDecision[]; action: string }) {
  if (mine.length === 0) return null;
  return (
    <ul className="undo-bar" aria-label="Decisions that can be undone">
      {mine.map(({ note, name, decision, effectiveAt }, index) => (
        <li key={note} className="card">
          <span>
            {DOING[decision]} <strong>{name}</strong>, <Until at={effectiveAt} />
          </span>
          <Form method="post" action={action} preventScrollReset>
            <input type="hidden" name="note" value={note} />
            <button className="button" name="intent" value="undo">
              Undo{' '}
              <span className="visually-hidden">
                {DOING[decision].toLowerCase()} {name}
              </span>{' '}
              {index === 0 && <Key>u</Key>}
            </button>
          </Form>
        </li>
      ))}
    </ul>
  );
}
