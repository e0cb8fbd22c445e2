import { hrefs } from '#app/lib/hrefs.ts';
import button from '#app/ui/button.module.css';
import text from '#app/ui/text.module.css';
import styles from './bans-download.module.css';

/** The blocked nodes as a file, for those who sign the network's truth. */
export function BansDownload() {
  return (
    <div className={styles.download}>
      <p className={text.secondary}>
        A block holds for this service. For a ban by every peer of the network, send this list to
        the holders of the network’s keys. It leaves out your reasons, because a ban is public.
      </p>
      <a className={button.button} href={hrefs.review.bansJson()} download>
        Download as proposed bans
      </a>
    </div>
  );
}
