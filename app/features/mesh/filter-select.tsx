import chips from '#app/ui/chips.module.css';
import styles from './filters.module.css';

export interface FilterSelectProps<T extends string> {
  /** The form that it belongs to. */
  form: string;
  name: string;
  label: string;
  /** The chosen option; null for none. */
  value: T | null;
  /** Values with their texts. */
  options: [T, string][];
  onChange: (value: T | null) => void;
}

/** One choice of a filter, in the shape of a chip. Its first option is none. */
export function FilterSelect<T extends string>(props: FilterSelectProps<T>) {
  const { form, name, label, value, options, onChange } = props;
  return (
    <select
      // Remounts when the URL changes, also by the Back button.
      key={value}
      form={form}
      name={name}
      defaultValue={value ?? ''}
      aria-label={label}
      className={`${chips.chip} ${styles.select}`}
      data-chosen={value !== null || undefined}
      onChange={({ target }) => onChange(target.value === '' ? null : (target.value as T))}
    >
      <option value="">{label}</option>
      {options.map(([option, text]) => (
        // The server and the browser may know a country by different names.
        <option key={option} value={option} suppressHydrationWarning>
          {text}
        </option>
      ))}
    </select>
  );
}
