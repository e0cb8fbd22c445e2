import { Link } from '@remix-run/react';
import button from '#app/ui/button.module.css';
import chips from '#app/ui/chips.module.css';
import { wizardHref, type WizardAnswers } from './wizard.ts';

/** The ways into the wizard from a registration that has ended. */
export function StartAgain({ answers, label }: { answers: Partial<WizardAnswers>; label: string }) {
  return (
    <ul className={chips.chips}>
      <li>
        <Link className={button.primary} to={wizardHref({ ...answers, step: 'check' })}>
          {label}
        </Link>
      </li>
      <li>
        <Link className={button.button} to={wizardHref(answers)}>
          Choose another name
        </Link>
      </li>
    </ul>
  );
}
