import { answerFields, type WizardAnswers } from './wizard.ts';

/** Answers of other steps, which a form sends on as they are. */
export function HiddenAnswers({
  answers,
  without,
}: {
  answers: WizardAnswers;
  without: (keyof WizardAnswers)[];
}) {
  return answerFields(answers)
    .filter(([name]) => !without.includes(name as keyof WizardAnswers))
    .map(([name, value]) => (
      <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
    ));
}
