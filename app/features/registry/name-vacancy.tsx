import { never, type Kind } from '@mesh-registry/protocol/values.schema.ts';
import type { ReactNode } from 'react';
import * as hrefs from '#app/lib/hrefs.ts';
import { span } from '#app/lib/formatters.ts';
import button from '#app/ui/button.module.css';
import chips from '#app/ui/chips.module.css';
import { KIND_LABEL } from '#app/ui/kind-shapes.ts';
import { Link } from '#app/ui/link.tsx';
import { DayOf } from '#app/ui/moment.tsx';
import { Section } from '#app/ui/section.tsx';
import styles from './name-page.module.css';

/** What the public check says about a name that isn't active. `unknown`: the database is down. */
export type Vacancy = 'free' | 'taken' | 'reserved' | 'invalid' | 'unknown';

interface NameVacancyProps {
  name: string;
  vacancy: Vacancy;
  rules: { name: string; holdMs: number };
  /** What it was while it was active; null if it has never been. */
  former: { kinds: Kind[]; activatedAt: string; endedAt: string } | null;
  /** An active name that may have been meant; null: there is none. */
  nearest: string | null;
}

/** For a name that isn't active: what it was, whether it is available, and what to do. */
export const NameVacancy = ({ former, nearest, ...props }: NameVacancyProps) => (
  <>
    {nearest !== null && (
      <p>
        Did you mean <Link to={hrefs.name(nearest)}>{nearest}</Link>?
      </p>
    )}
    {former && (
      <Section title="No longer active">
        <p>
          It was the name of a {former.kinds.map((kind) => KIND_LABEL[kind]).join(' and a ')} from{' '}
          <DayOf at={former.activatedAt} /> to <DayOf at={former.endedAt} />.
        </p>
      </Section>
    )}
    <Availability {...props} />
  </>
);

function Availability({ name, vacancy, rules }: Omit<NameVacancyProps, 'former' | 'nearest'>) {
  const shown = <strong>{name.length > 64 ? `${name.slice(0, 64)}…` : name}</strong>;
  switch (vacancy) {
    case 'free':
      return (
        <Answer title="This name is available" register={name}>
          Nobody has {shown} yet. Register it and pay the fee; it is yours once a reviewer has
          activated it. Sending heartbeats doesn’t register a name.
        </Answer>
      );
    case 'taken':
      return (
        <Answer title="This name is taken, but not active yet">
          Someone is registering {shown}. If it is you, the link of your registration shows the
          progress, and this page shows the name once it is active. If not, choose another name or
          check back later: an unpaid reservation expires after {span(rules.holdMs)}.
        </Answer>
      );
    case 'reserved':
      return (
        <Answer title="This name is reserved">
          {shown} can’t be registered. Choose another name.
        </Answer>
      );
    case 'invalid':
      return (
        <Answer title="This isn’t a valid name">
          {shown} can’t be registered. Names have {rules.name}.
        </Answer>
      );
    case 'unknown':
      return (
        <Answer title="This name isn’t active">
          We can’t check right now whether {shown} is available, because the database is
          unavailable. This page keeps retrying.
        </Answer>
      );
    default:
      return never(vacancy);
  }
}

/** @param props.register the name that can be registered */
function Answer(props: { title: string; register?: string; children: ReactNode }) {
  return (
    <Section title={props.title} className={styles.vacancy}>
      <p>{props.children}</p>
      <ul className={chips.chips}>
        {props.register !== undefined && (
          <li>
            <Link className={button.primary} to={hrefs.register({ name: props.register })}>
              Register it
            </Link>
          </li>
        )}
        <li>
          <Link className={button.button} to={hrefs.registry()}>
            Browse names
          </Link>
        </li>
      </ul>
    </Section>
  );
}
