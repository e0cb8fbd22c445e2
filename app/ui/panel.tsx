import { useId, type ReactNode } from 'react';
import card from './card.module.css';

export interface PanelProps {
  title: string;
  className?: string | undefined;
  children: ReactNode;
}

/** A section of a page on a card, with its heading. */
export function Panel({ title, className = '', children }: PanelProps) {
  const id = useId();
  return (
    <section className={`${card.padded} ${className}`} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}
