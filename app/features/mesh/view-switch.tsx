import type { ReactNode } from 'react';
import { Segmented } from '#app/ui/segmented.tsx';
import { meshHref, type MeshQuery } from '#server/mesh/mesh-query.schema.ts';
import { rememberView } from './globe/globe.tsx';
import styles from './view-switch.module.css';

const VIEWS = [
  {
    name: 'map',
    text: 'Map',
    sign: <path d="M3 5l4.5-1.8l5 1.8L17 3.2V15l-4.5 1.8l-5-1.8L3 16.8Z M7.5 3.2V15M12.5 5v11.8" />,
  },
  {
    name: 'globe',
    text: 'Globe',
    sign: (
      <path d="M10 3a7 7 0 1 1 0 14a7 7 0 1 1 0-14M3 10h14M10 3c4 4 4 10 0 14c-4-4-4-10 0-14" />
    ),
  },
  {
    name: 'list',
    text: 'List',
    sign: <path d="M7 5h10M7 10h10M7 15h10M3.5 5h.2M3.5 10h.2M3.5 15h.2" />,
  },
] as const satisfies { name: MeshQuery['view']; text: string; sign: ReactNode }[];

/** On a phone the globe is the usual view, and comes first. */
const PHONE_VIEWS = [VIEWS[1], VIEWS[0], VIEWS[2]] as const;

interface ViewSwitchProps {
  query: MeshQuery;
  phone: boolean;
}

/** Map, globe or list, always at the same corner. Without scripts there is only the list, and no switch. */
export function ViewSwitch({ query, phone }: ViewSwitchProps) {
  const { view } = query;
  return (
    <Segmented
      className={`${styles.switch} needs-scripts`}
      label="View"
      segments={(phone ? PHONE_VIEWS : VIEWS).map(({ name, text, sign }) => ({
        to: meshHref({ ...query, view: name }),
        chosen: view === name,
        // Between map and globe the back button returns.
        replace: view === 'list' || name === 'list',
        onClick: () => rememberView(name),
        text: (
          <>
            <svg viewBox="0 0 20 20" width="16" height="16" aria-hidden>
              <g fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round">
                {sign}
              </g>
            </svg>
            {text}
          </>
        ),
      }))}
    />
  );
}
