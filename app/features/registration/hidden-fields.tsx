import { wizardFields, type Wizard } from './wizard.ts';

/** Answers of other steps, which a form sends on as they are. */
export function HiddenFields({ wizard, without }: { wizard: Wizard; without: (keyof Wizard)[] }) {
  return wizardFields(wizard)
    .filter(([name]) => !without.includes(name as keyof Wizard))
    .map(([name, value]) => (
      <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
    ));
}
