import button from '#app/ui/button.module.css';

interface RowButtonProps {
  intent: string;
  /** The row it is about, for screen readers. */
  subject: string;
  children: string;
}

/** A button in a row, which looks like a link. */
export function RowButton({ intent, subject, children }: RowButtonProps) {
  return (
    <button className={button.link} name="intent" value={intent}>
      {children}
      <span className="visually-hidden">: {subject}</span>
    </button>
  );
}
