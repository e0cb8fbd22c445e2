import { useId, type ReactNode } from 'react';

export interface PanelProps {
  title: string;
  className?: string;
  children: ReactNode;
}

/** A part of a page with its heading, on a card. */
export function Panel({ title, className = '', children }: PanelProps) {
  const id = useId();
  return (
    <section className={`panel card ${className}`} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}
