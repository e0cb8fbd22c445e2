import { Form, useNavigate } from '@remix-run/react';
import type { ComponentPropsWithoutRef } from 'react';
import button from './button.module.css';
import { SearchField } from './search-field.tsx';
import styles from './search-field.module.css';

interface SearchFormProps {
  /** The path of the list. */
  action: string;
  label: string;
  value: string;
  maxLength: number;
  /** The other parameters of the list's URL, which a search keeps; those without a value are left out. */
  keep: Record<string, string | null>;
  /** The list with this search, from its first page. */
  href: (q: string) => string;
  /** Further attributes of the field. */
  input?: ComponentPropsWithoutRef<'input'>;
}

/** Searches a list whose state is in its URL: as a form without scripts, while you type with them. */
export function SearchForm(props: SearchFormProps) {
  const { action, label, value, maxLength, keep, href, input = {} } = props;
  const navigate = useNavigate();
  return (
    <Form action={action} role="search" className={styles.form} preventScrollReset>
      <SearchField
        name="q"
        label={label}
        value={value}
        maxLength={maxLength}
        onSearch={(q) => navigate(href(q), { replace: true, preventScrollReset: true })}
        input={input}
      />
      {Object.entries(keep).map(
        ([name, kept]) =>
          kept !== null && <input key={name} type="hidden" name={name} value={kept} />,
      )}
      <button className={`${button.button} without-scripts`}>Search</button>
    </Form>
  );
}
