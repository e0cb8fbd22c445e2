import type { ReactNode } from 'react';
import { SiteFooter } from './site-footer.tsx';
import { SiteHeader } from './site-header.tsx';
import styles from './page.module.css';

export interface PageProps {
  /** Left out by a page that has its heading within its columns. */
  title?: ReactNode;
  /** One or two sentences under the title. */
  intro?: ReactNode;
  /** Buttons beside the title. */
  actions?: ReactNode;
  /** What the page says in the header: whether it is live. */
  live?: ReactNode;
  /** Content above the title. */
  above?: ReactNode;
  /** A class for the page's own styles. */
  className?: string | undefined;
  children?: ReactNode;
}

/** The frame of every page but the map: header, title, content, footer. */
export function Page(props: PageProps) {
  const { title, intro, actions, live, above, className = '', children } = props;
  return (
    <>
      <SiteHeader>{live}</SiteHeader>
      <main id="main" className={`${styles.page} ${className}`}>
        {above}
        {title !== undefined && (
          <div className={styles.head}>
            <div>
              <h1>{title}</h1>
              {intro && <p>{intro}</p>}
            </div>
            {actions && <div className={styles.actions}>{actions}</div>}
          </div>
        )}
        {children}
      </main>
      <SiteFooter />
    </>
  );
}
